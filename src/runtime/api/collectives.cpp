// The collectives, each in three forms: blocking, with a request, planned.
#include <algorithm>
#include <cstring>

#include "runtime/api/api.hpp"

using namespace weft;
using namespace weft::runtime;
using namespace weft::runtime::api;
using weft::schedule::Kind;

namespace {

Status run(Communicator& communicator, const Call& call) {
  Group& group = Group::of_this_thread();
  if (!group.is_open()) return communicator.run(call);
  WEFT_ASSIGN(Request* const request, communicator.start(call));
  group.add(request);
  return {};
}

Status run(Communicator& communicator, const Call& call, weft_request_t* request) {
  WEFT_TRY(need(request, "request"));
  *request = nullptr;
  WEFT_ASSIGN(Request* const started, communicator.start(call));
  *request = reinterpret_cast<weft_request_t>(started);
  return {};
}

Status run(Communicator& communicator, const Call& call, weft_operation_t* operation) {
  WEFT_TRY(need(operation, "operation"));
  *operation = nullptr;
  WEFT_ASSIGN(auto planned, communicator.plan(call));
  *operation = reinterpret_cast<weft_operation_t>(planned.release());
  return {};
}

// The communicator, if this very blocking call was its last one: all checks have been passed then,
// and it has only to run.
Communicator* repeats(weft_comm_t comm, const Call& call, int type, weft_stream_t stream) {
  if (!comm || stream || int(call.type) != type || Group::is_open()) return nullptr;
  Communicator* const communicator = object(comm)->usable();
  return communicator && communicator->repeats(call) ? communicator : nullptr;
}

Status check(int type, int root, weft_stream_t stream) {
  WEFT_TRY(check_type(type));
  if (root < 0) return fail(Code::invalid_argument, "root {} is below 0", root);
  if (stream)
    return fail(Code::unsupported,
                "this build has no CUDA: the stream of a call on host memory is NULL");
  return {};
}

// `out` is nothing, or where the request or the operation goes.
template <class... Out>
weft_result_t call(Kind kind, const void* input, void* output, size_t count, int type, int op,
                   int root, weft_comm_t comm, weft_stream_t stream, Out... out) {
  const Call made{kind, input, output, count, DataType(type), u32(op), u32(root)};
  return guarded([&]() -> Status {
    if constexpr (sizeof...(Out) == 0)
      if (Communicator* const again = repeats(comm, made, type, stream)) return again->run_again();
    WEFT_ASSIGN(Communicator* const communicator, use(comm));
    WEFT_TRY(check(type, root, stream));
    return run(*communicator, made, out...);
  });
}

}  // namespace

extern "C" {

weft_result_t weft_all_reduce(const void* in, void* out, size_t count, weft_datatype_t type,
                              weft_op_t op, weft_comm_t comm, weft_stream_t stream) {
  return call(Kind::all_reduce, in, out, count, type, op, 0, comm, stream);
}
weft_result_t weft_all_reduce_start(const void* in, void* out, size_t count, weft_datatype_t type,
                                    weft_op_t op, weft_comm_t comm, weft_stream_t stream,
                                    weft_request_t* request) {
  return call(Kind::all_reduce, in, out, count, type, op, 0, comm, stream, request);
}
weft_result_t weft_all_reduce_init(const void* in, void* out, size_t count, weft_datatype_t type,
                                   weft_op_t op, weft_comm_t comm, weft_stream_t stream,
                                   weft_operation_t* operation) {
  return call(Kind::all_reduce, in, out, count, type, op, 0, comm, stream, operation);
}

weft_result_t weft_reduce_scatter(const void* in, void* out, size_t count, weft_datatype_t type,
                                  weft_op_t op, weft_comm_t comm, weft_stream_t stream) {
  return call(Kind::reduce_scatter, in, out, count, type, op, 0, comm, stream);
}
weft_result_t weft_reduce_scatter_start(const void* in, void* out, size_t count,
                                        weft_datatype_t type, weft_op_t op, weft_comm_t comm,
                                        weft_stream_t stream, weft_request_t* request) {
  return call(Kind::reduce_scatter, in, out, count, type, op, 0, comm, stream, request);
}
weft_result_t weft_reduce_scatter_init(const void* in, void* out, size_t count,
                                       weft_datatype_t type, weft_op_t op, weft_comm_t comm,
                                       weft_stream_t stream, weft_operation_t* operation) {
  return call(Kind::reduce_scatter, in, out, count, type, op, 0, comm, stream, operation);
}

weft_result_t weft_all_gather(const void* in, void* out, size_t count, weft_datatype_t type,
                              weft_comm_t comm, weft_stream_t stream) {
  return call(Kind::all_gather, in, out, count, type, weft_sum, 0, comm, stream);
}
weft_result_t weft_all_gather_start(const void* in, void* out, size_t count, weft_datatype_t type,
                                    weft_comm_t comm, weft_stream_t stream,
                                    weft_request_t* request) {
  return call(Kind::all_gather, in, out, count, type, weft_sum, 0, comm, stream, request);
}
weft_result_t weft_all_gather_init(const void* in, void* out, size_t count, weft_datatype_t type,
                                   weft_comm_t comm, weft_stream_t stream,
                                   weft_operation_t* operation) {
  return call(Kind::all_gather, in, out, count, type, weft_sum, 0, comm, stream, operation);
}

weft_result_t weft_broadcast(const void* in, void* out, size_t count, weft_datatype_t type,
                             int root, weft_comm_t comm, weft_stream_t stream) {
  return call(Kind::broadcast, in, out, count, type, weft_sum, root, comm, stream);
}
weft_result_t weft_broadcast_start(const void* in, void* out, size_t count, weft_datatype_t type,
                                   int root, weft_comm_t comm, weft_stream_t stream,
                                   weft_request_t* request) {
  return call(Kind::broadcast, in, out, count, type, weft_sum, root, comm, stream, request);
}
weft_result_t weft_broadcast_init(const void* in, void* out, size_t count, weft_datatype_t type,
                                  int root, weft_comm_t comm, weft_stream_t stream,
                                  weft_operation_t* operation) {
  return call(Kind::broadcast, in, out, count, type, weft_sum, root, comm, stream, operation);
}

weft_result_t weft_barrier(weft_comm_t comm, weft_stream_t stream) {
  return call(Kind::barrier, nullptr, nullptr, 1, weft_uint8, weft_sum, 0, comm, stream);
}
weft_result_t weft_barrier_start(weft_comm_t comm, weft_stream_t stream, weft_request_t* request) {
  return call(Kind::barrier, nullptr, nullptr, 1, weft_uint8, weft_sum, 0, comm, stream, request);
}
weft_result_t weft_barrier_init(weft_comm_t comm, weft_stream_t stream,
                                weft_operation_t* operation) {
  return call(Kind::barrier, nullptr, nullptr, 1, weft_uint8, weft_sum, 0, comm, stream, operation);
}

weft_result_t weft_explain(weft_comm_t comm, weft_collective_t collective, size_t count,
                           weft_datatype_t type, weft_op_t op, char* text, size_t text_bytes) {
  return guarded([&]() -> Status {
    WEFT_ASSIGN(Communicator* const communicator, use(comm));
    WEFT_TRY(need(text, "text"));
    WEFT_TRY(check_type(type));
    if (int(collective) < 0 || int(collective) > weft_collective_barrier || !text_bytes)
      return fail(Code::invalid_argument, "collective {} or text_bytes {} is out of range",
                  int(collective), text_bytes);
    WEFT_ASSIGN(
        const std::string why,
        communicator->explain(
            {.kind = Kind(collective), .count = count, .type = DataType(type), .op = u32(op)}));
    const size_t size = std::min(why.size(), text_bytes - 1);
    std::memcpy(text, why.data(), size);
    text[size] = '\0';
    return {};
  });
}

}  // extern "C"
