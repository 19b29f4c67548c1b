// The C API: arguments in, runtime underneath, codes out. No exception leaves it.
#include <algorithm>
#include <cstring>

#include "bootstrap/bootstrap.hpp"
#include "runtime/group.hpp"
#include "weft/weft.h"

using weft::Code;
using weft::Deadline;
using weft::Error;
using weft::fail;
using weft::Result;
using weft::Status;
using weft::u32;
using weft::runtime::Call;
using weft::runtime::Communicator;
using weft::runtime::Config;
using weft::runtime::Group;
using weft::runtime::Request;
using weft::schedule::Kind;

// The handles of the C API are the runtime's objects.
static Communicator* object(weft_comm_t comm) { return reinterpret_cast<Communicator*>(comm); }
static Request* object(weft_request_t request) { return reinterpret_cast<Request*>(request); }

namespace {

thread_local std::string last_error;

weft_result_t report(const Error& error) {
  last_error = error.text;
  return weft_result_t(error.code);
}
weft_result_t report(const Status& status) { return status ? weft_ok : report(status.error()); }

// Memory may run out in what makes communicators; the data path does not allocate.
template <class F>
weft_result_t guarded(F&& f) {
  try {
    return report(f());
  } catch (const std::exception& error) {
    return report(Error{Code::system_error, fmt::format("out of resources: {}", error.what())});
  }
}

Error no_request() {
  return {Code::invalid_argument, "request is NULL: it was waited for already, or never started"};
}

Status need(const void* pointer, const char* name) {
  if (pointer) return {};
  return fail(Code::invalid_argument, "{} is NULL", name);
}

Result<Config> read(const weft_config_t* given) {
  weft_config_t config = WEFT_CONFIG_INITIALIZER;
  if (given) {
    if (given->size < sizeof(size_t) || given->size > 4096)
      return fail(Code::invalid_argument, "config.size is {}: start from WEFT_CONFIG_INITIALIZER",
                  given->size);
    std::memcpy(&config, given,
                std::min(given->size, sizeof config));  // an older caller's may be shorter
  }
  if (!(config.timeout_seconds >= 0))
    return fail(Code::invalid_argument,
                "config.timeout_seconds is {}: 0 for WEFT_TIMEOUT, else above 0",
                config.timeout_seconds);
  return weft::runtime::complete({.node = config.node ? config.node : "",
                                  .algorithm = config.algorithm ? config.algorithm : "",
                                  .timeout_seconds = config.timeout_seconds},
                                 config.timeout_seconds > 0, config.progress_thread);
}

using Bootstrap = std::unique_ptr<weft::bootstrap::Bootstrap>;

template <class Join>
Status create(weft_comm_t* comm, const weft_config_t* given, Join join) {
  WEFT_TRY(need(comm, "comm"));
  *comm = nullptr;
  WEFT_ASSIGN(Config config, read(given));
  const auto job = [comm, config, join]() -> Status {
    const Deadline deadline = weft::in_seconds(config.timeout_seconds);
    WEFT_ASSIGN(Bootstrap bootstrap, join(deadline));
    WEFT_ASSIGN(auto made, Communicator::create(std::move(bootstrap), config, deadline));
    *comm = reinterpret_cast<weft_comm_t>(made.release());
    return {};
  };
  Group& group = Group::of_this_thread();
  if (!group.open()) return job();
  group.create(job);
  return {};
}

Result<Request*> start(weft_comm_t comm, const Call& call) {
  WEFT_TRY(need(comm, "comm"));
  return object(comm)->start(call);
}

weft_result_t run(weft_comm_t comm, const Call& call) {
  return guarded([&]() -> Status {
    WEFT_ASSIGN(Request* const request, start(comm, call));
    Group& group = Group::of_this_thread();
    if (group.open()) {
      group.add(request);
      return {};
    }
    Communicator::wait(std::span(&request, 1));
    return request->owner->finish(*request);
  });
}

weft_result_t run(weft_comm_t comm, const Call& call, weft_request_t* request) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(request, "request"));
    *request = nullptr;
    WEFT_ASSIGN(Request* const started, start(comm, call));
    *request = reinterpret_cast<weft_request_t>(started);
    return {};
  });
}

Result<Call> make(Kind kind, const void* input, void* output, size_t count, int type, int op,
                  int root) {
  if (type < 0 || type >= int(weft::all_types.size()))
    return fail(Code::invalid_argument, "{} is not a weft_datatype_t", type);
  if (op < 0 || op >= int(weft::all_ops.size()))
    return fail(Code::invalid_argument, "{} is not a weft_op_t", op);
  if (root < 0) return fail(Code::invalid_argument, "root {} is below 0", root);
  return Call{kind, input, output, count, weft::DataType(type), weft::Op(op), u32(root)};
}

template <class... Out>
weft_result_t call(Kind kind, const void* input, void* output, size_t count, int type, int op,
                   int root, weft_comm_t comm, Out... out) {
  const Result<Call> made = make(kind, input, output, count, type, op, root);
  return made ? run(comm, *made, out...) : report(made.error());
}

}  // namespace

extern "C" {

int weft_version(void) { return WEFT_VERSION; }
const char* weft_result_name(weft_result_t result) { return weft::name_of(Code(result)); }
const char* weft_last_error(void) { return last_error.c_str(); }
size_t weft_datatype_bytes(weft_datatype_t type) { return weft::bytes_of(weft::DataType(type)); }

weft_result_t weft_get_unique_id(weft_unique_id_t* id) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(id, "id"));
    WEFT_ASSIGN(const auto made, weft::bootstrap::create_unique_id());
    std::memcpy(id->bytes, made.bytes.data(), sizeof id->bytes);
    return {};
  });
}

weft_result_t weft_unique_id_to_text(const weft_unique_id_t* id, char* text) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(id, "id"));
    WEFT_TRY(need(text, "text"));
    weft::bootstrap::UniqueId copy;
    std::memcpy(copy.bytes.data(), id->bytes, sizeof id->bytes);
    const std::string made = copy.text();
    WEFT_ASSERT(made.size() < WEFT_UNIQUE_ID_TEXT_BYTES);
    std::memcpy(text, made.c_str(), made.size() + 1);
    return {};
  });
}

weft_result_t weft_unique_id_from_text(weft_unique_id_t* id, const char* text) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(id, "id"));
    WEFT_TRY(need(text, "text"));
    WEFT_ASSIGN(const auto made, weft::bootstrap::UniqueId::from_text(text));
    std::memcpy(id->bytes, made.bytes.data(), sizeof id->bytes);
    return {};
  });
}

weft_result_t weft_comm_create(weft_comm_t* comm, int ranks, int rank, const weft_unique_id_t* id,
                               const weft_config_t* config) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(id, "id"));
    if (ranks < 1 || rank < 0 || rank >= ranks)
      return fail(Code::invalid_argument, "rank {} of {} ranks: ranks are numbered 0 to {}", rank,
                  ranks, ranks - 1);
    weft::bootstrap::UniqueId copy;
    std::memcpy(copy.bytes.data(), id->bytes, sizeof id->bytes);
    return create(comm, config, [copy, rank, ranks](Deadline deadline) {
      return weft::bootstrap::join(copy, u32(rank), u32(ranks), deadline);
    });
  });
}

weft_result_t weft_comm_create_from_environment(weft_comm_t* comm, const weft_config_t* config) {
  return guarded([&] { return create(comm, config, weft::bootstrap::from_environment); });
}

weft_result_t weft_comm_destroy(weft_comm_t comm) {
  return guarded([&]() -> Status {
    if (!comm) return {};
    std::unique_ptr<Communicator> owned(object(comm));
    Group& group = Group::of_this_thread();
    if (group.open()) {
      group.destroy(std::move(owned));
      return {};
    }
    Communicator* const leaving = owned.get();
    return Communicator::close(std::span(&leaving, 1));
  });
}

weft_result_t weft_comm_rank(weft_comm_t comm, int* rank) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(comm, "comm"));
    WEFT_TRY(need(rank, "rank"));
    *rank = int(object(comm)->rank());
    return {};
  });
}

weft_result_t weft_comm_size(weft_comm_t comm, int* ranks) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(comm, "comm"));
    WEFT_TRY(need(ranks, "ranks"));
    *ranks = int(object(comm)->ranks());
    return {};
  });
}

weft_result_t weft_comm_error(weft_comm_t comm) {
  return comm ? weft_result_t(object(comm)->error())
              : report(Error{Code::invalid_argument, "comm is NULL"});
}

weft_result_t weft_comm_info(weft_comm_t comm, weft_comm_info_t* info) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(comm, "comm"));
    WEFT_TRY(need(info, "info"));
    const auto& known = object(comm)->info();
    *info = {int(known.node),        int(known.nodes),           int(known.local_rank),
             int(known.local_ranks), known.node_name.c_str(),    known.shape.c_str(),
             known.in_node.c_str(),  known.between_nodes.c_str()};
    return {};
  });
}

weft_result_t weft_explain(weft_comm_t comm, weft_collective_t collective, size_t count,
                           weft_datatype_t type, char* text, size_t text_bytes) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(comm, "comm"));
    WEFT_TRY(need(text, "text"));
    if (int(collective) < 0 || int(collective) > weft_collective_barrier || !text_bytes)
      return fail(Code::invalid_argument, "collective {} or text_bytes {} is out of range",
                  int(collective), text_bytes);
    WEFT_ASSIGN(const Call made, make(Kind(collective), nullptr, nullptr, count, type, 0, 0));
    WEFT_ASSIGN(const std::string why, object(comm)->explain(made));
    const size_t size = std::min(why.size(), text_bytes - 1);
    std::memcpy(text, why.data(), size);
    text[size] = '\0';
    return {};
  });
}

weft_result_t weft_all_reduce(const void* in, void* out, size_t count, weft_datatype_t type,
                              weft_op_t op, weft_comm_t comm) {
  return call(Kind::all_reduce, in, out, count, type, op, 0, comm);
}
weft_result_t weft_reduce_scatter(const void* in, void* out, size_t count, weft_datatype_t type,
                                  weft_op_t op, weft_comm_t comm) {
  return call(Kind::reduce_scatter, in, out, count, type, op, 0, comm);
}
weft_result_t weft_all_gather(const void* in, void* out, size_t count, weft_datatype_t type,
                              weft_comm_t comm) {
  return call(Kind::all_gather, in, out, count, type, 0, 0, comm);
}
weft_result_t weft_broadcast(const void* in, void* out, size_t count, weft_datatype_t type,
                             int root, weft_comm_t comm) {
  return call(Kind::broadcast, in, out, count, type, 0, root, comm);
}
weft_result_t weft_barrier(weft_comm_t comm) {
  return call(Kind::barrier, nullptr, nullptr, 1, weft_uint8, 0, 0, comm);
}

weft_result_t weft_all_reduce_start(const void* in, void* out, size_t count, weft_datatype_t type,
                                    weft_op_t op, weft_comm_t comm, weft_request_t* request) {
  return call(Kind::all_reduce, in, out, count, type, op, 0, comm, request);
}
weft_result_t weft_reduce_scatter_start(const void* in, void* out, size_t count,
                                        weft_datatype_t type, weft_op_t op, weft_comm_t comm,
                                        weft_request_t* request) {
  return call(Kind::reduce_scatter, in, out, count, type, op, 0, comm, request);
}
weft_result_t weft_all_gather_start(const void* in, void* out, size_t count, weft_datatype_t type,
                                    weft_comm_t comm, weft_request_t* request) {
  return call(Kind::all_gather, in, out, count, type, 0, 0, comm, request);
}
weft_result_t weft_broadcast_start(const void* in, void* out, size_t count, weft_datatype_t type,
                                   int root, weft_comm_t comm, weft_request_t* request) {
  return call(Kind::broadcast, in, out, count, type, 0, root, comm, request);
}
weft_result_t weft_barrier_start(weft_comm_t comm, weft_request_t* request) {
  return call(Kind::barrier, nullptr, nullptr, 1, weft_uint8, 0, 0, comm, request);
}

weft_result_t weft_test(weft_request_t* request) {
  if (!request || !*request) return report(no_request());
  Request& started = *object(*request);
  weft_result_t result = weft_in_progress;
  const weft_result_t outcome = guarded([&]() -> Status {
    started.owner->poll(started);
    if (!started.operation.done()) return {};
    *request = nullptr;
    result = weft_ok;
    return started.owner->finish(started);
  });
  return outcome == weft_ok ? result : outcome;
}

weft_result_t weft_wait(weft_request_t* request, double timeout_seconds) {
  if (!request || !*request) return report(no_request());
  return guarded([&]() -> Status {
    Request* const started = object(*request);
    if (timeout_seconds > 0) started->owner->set_deadline(*started, timeout_seconds);
    Communicator::wait(std::span(&started, 1));
    *request = nullptr;
    return started->owner->finish(*started);
  });
}

weft_result_t weft_group_start(void) {
  Group::of_this_thread().start();
  return weft_ok;
}
weft_result_t weft_group_end(void) {
  return guarded([] { return Group::of_this_thread().end(); });
}

}  // extern "C"
