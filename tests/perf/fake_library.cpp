#include "fake_library.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "fake_collective.hpp"

namespace {

using weft::fake::Fault;
using weft::fake::Operation;
using weft::fake::Operations;
namespace model = weft::model;

std::atomic<Fault> fault = Fault::none;
std::atomic<long> fault_from = 0, collectives_run = 0, open_comms = 0, open_ops = 0,
                  buffers_open = 0, buffers_made = 0;
std::atomic<weft_result_t> failing_result = weft_remote_error;
thread_local std::string last_error;

void run(const Operations& ops) {
  const bool counted = ops.size() > 1 && ops[0].kind != weft_collective_barrier;
  const bool faulty = counted && collectives_run++ >= fault_from;
  const bool uneven = ops[0].uneven;
  std::vector<char> results;
  std::vector<std::vector<char>> of_rank;  // all of them before any is written: some are in place
  if (!uneven) results = weft::fake::results_of(ops);
  for (std::size_t rank = 0; uneven && rank < ops.size(); ++rank)
    of_rank.push_back(weft::fake::uneven_results_of(ops, rank));
  for (std::size_t rank = 0; rank < ops.size(); ++rank) {
    const auto kind = ops[rank].kind;
    const bool scattered = kind == weft_collective_reduce_scatter ||
                           kind == weft_collective_scatter || kind == weft_collective_all_to_all;
    const bool to_root = kind == weft_collective_reduce || kind == weft_collective_gather;
    if (to_root && int(rank) != ops[rank].root) continue;
    if (uneven) results = of_rank[rank];
    const bool parts = scattered && !uneven;
    const std::size_t bytes = parts ? results.size() / ops.size() : results.size();
    auto* to = static_cast<char*>(ops[rank].receive);
    const bool faulty_here = faulty && (to_root || rank == 1);
    if (bytes && !(faulty_here && fault == Fault::stale_result))
      std::memcpy(to, results.data() + (parts ? rank * bytes : 0), bytes);
    if (faulty_here && fault == Fault::flipped_bit && bytes) to[bytes / 2] ^= 4;
    if (faulty_here && fault == Fault::past_the_end) to[bytes] ^= 1;
  }
}

// The k-th operations of all ranks meet; the last to come runs them for all.
class World {
 public:
  explicit World(int ranks) : ranks_(ranks) {}
  int ranks() const { return ranks_; }

  void post(std::size_t sequence, int rank, const Operation& operation) {
    const std::scoped_lock lock(mutex_);
    Meeting& meeting = meetings_[sequence];
    meeting.operations.resize(ranks_);
    meeting.operations[rank] = operation;
    if (++meeting.arrived < ranks_) return;
    run(meeting.operations);
    meetings_.erase(sequence);
    done_ = sequence + 1;
    changed_.notify_all();
  }
  void wait(std::size_t sequence) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ > sequence; });
  }

 private:
  struct Meeting {
    Operations operations;
    int arrived = 0;
  };
  const int ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, Meeting> meetings_;
  std::size_t done_ = 0;
};

}  // namespace

struct weft_comm {
  std::shared_ptr<World> world;
  int rank = 0;
  std::size_t sequence = 0;
  std::string node, order;
  std::map<weft_op_t, model::Value> ops;
  int ops_made = 0;
};

namespace {

constexpr int first_made = 1 << 16;

thread_local int group_depth = 0;
thread_local std::vector<std::pair<weft_comm_t, std::size_t>> group_waits;

weft_result_t failed(weft_result_t result, const char* text) {
  last_error = text;
  return result;
}

weft_result_t start(weft_comm_t comm, Operation operation) {
  if (fault == Fault::failing_call && comm->world->ranks() > 1 && collectives_run >= fault_from)
    return failed(failing_result, "as the test asked");
  if (const auto made = comm->ops.find(operation.op); made != comm->ops.end())
    operation.scalar = made->second;
  else if (operation.op >= first_made)
    return failed(weft_invalid_argument, "no such operator");
  const std::size_t sequence = comm->sequence++;
  comm->world->post(sequence, comm->rank, operation);
  if (group_depth)
    group_waits.emplace_back(comm, sequence);
  else
    comm->world->wait(sequence);
  return weft_ok;
}

Operation uneven(weft_collective_t kind, const void* send, void* receive, weft_datatype_t type,
                 int root) {
  Operation operation;
  operation.kind = kind, operation.send = send, operation.receive = receive;
  operation.type = type, operation.root = root, operation.uneven = true;
  return operation;
}

std::shared_ptr<World> world_of(const weft_unique_id_t& id, int ranks) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<World>> worlds;
  const std::scoped_lock lock(mutex);
  auto& entry = worlds[std::string(id.bytes, sizeof id.bytes)];
  auto world = entry.lock();
  if (!world) entry = world = std::make_shared<World>(ranks);
  return world;
}

}  // namespace

namespace weft::fake {

void set_fault(Fault kind, int from, weft_result_t result) {
  fault = kind;
  fault_from = from;
  failing_result = result;
  collectives_run = buffers_made = 0;
  last_error.clear();
}
long collectives() { return collectives_run; }
long open_communicators() { return open_comms; }
long open_operators() { return open_ops; }
long open_buffers() { return buffers_open; }
long shared_buffers_made() { return buffers_made; }
bool group_is_open() { return group_depth > 0; }

}  // namespace weft::fake

extern "C" {

int weft_version(void) { return WEFT_VERSION; }
const char* weft_result_name(weft_result_t result) {
  return result == weft_timed_out ? "timed_out" : "some error";
}
const char* weft_last_error(void) { return last_error.c_str(); }
size_t weft_datatype_bytes(weft_datatype_t type) { return model::bytes_of(type); }
int weft_reduces(weft_datatype_t type, weft_op_t op) { return model::reduces(type, op) ? 1 : 0; }

weft_result_t weft_get_unique_id(weft_unique_id_t* id) {
  static std::atomic<int> made = 0;
  std::memset(id, 0, sizeof *id);
  const int number = ++made;
  std::memcpy(id->bytes, &number, sizeof number);
  return weft_ok;
}

weft_result_t weft_comm_create(weft_comm_t* comm, int ranks, int rank, const weft_unique_id_t* id,
                               const weft_config_t* config) {
  if (config->algorithm && std::string(config->algorithm) != "ring")
    return failed(weft_invalid_argument, "no such algorithm");
  *comm = new weft_comm{world_of(*id, ranks),
                        rank,
                        0,
                        config->node ? config->node : "here",
                        config->order ? config->order : "canonical",
                        {},
                        0};
  ++open_comms;
  return weft_ok;
}

weft_result_t weft_comm_create_from_environment(weft_comm_t* comm, const weft_config_t*) {
  *comm = new weft_comm{std::make_shared<World>(1), 0, 0, "here", "canonical", {}, 0};
  ++open_comms;
  return weft_ok;
}

weft_result_t weft_comm_destroy(weft_comm_t comm) {
  delete comm;
  --open_comms;
  return weft_ok;
}

weft_result_t weft_op_create_premul_sum(weft_op_t* op, const void* scalar, weft_datatype_t type,
                                        weft_comm_t comm) {
  *op = static_cast<weft_op_t>(first_made + comm->ops_made++);
  comm->ops[*op] = model::decoded(type, static_cast<const std::byte*>(scalar));
  ++open_ops;
  return weft_ok;
}
weft_result_t weft_op_destroy(weft_op_t op, weft_comm_t comm) {
  if (!comm->ops.erase(op)) return failed(weft_invalid_argument, "no such operator");
  --open_ops;
  return weft_ok;
}

weft_result_t weft_mem_alloc(void** memory, size_t bytes) {
  *memory = std::aligned_alloc(4096, bytes);
  ++buffers_open;
  ++buffers_made;
  return weft_ok;
}
weft_result_t weft_mem_free(void* memory) {
  std::free(memory);
  --buffers_open;
  return weft_ok;
}

weft_result_t weft_comm_rank(weft_comm_t comm, int* rank) {
  *rank = comm->rank;
  return weft_ok;
}
weft_result_t weft_comm_size(weft_comm_t comm, int* ranks) {
  *ranks = comm->world->ranks();
  return weft_ok;
}

weft_result_t weft_comm_info(weft_comm_t comm, weft_comm_info_t* info) {
  const bool emulated = comm->node != "here";
  *info = {.size = sizeof *info,
           .node = emulated ? std::stoi(comm->node.substr(4)) : 0,
           .nodes = emulated ? 2 : 1,
           .local_rank = 0,
           .local_ranks = 1,
           .rails = 1,
           .node_name = comm->node.c_str(),
           .shape = "some",
           .transport_in_node = "shm",
           .transport_between_nodes = emulated ? "tcp" : "none",
           .order = comm->order.c_str()};
  return weft_ok;
}

weft_result_t weft_explain(weft_comm_t, weft_collective_t, size_t count, weft_datatype_t,
                           weft_op_t op, char* text, size_t text_bytes) {
  std::snprintf(text, text_bytes, "loops over %zu elements by operator %d", count, op);
  return weft_ok;
}

weft_result_t weft_all_reduce(const void* send, void* receive, size_t count, weft_datatype_t type,
                              weft_op_t op, weft_comm_t comm, weft_stream_t) {
  return start(comm, {weft_collective_all_reduce, send, receive, count, type, op, 0, {}});
}
weft_result_t weft_reduce_scatter(const void* send, void* receive, size_t count,
                                  weft_datatype_t type, weft_op_t op, weft_comm_t comm,
                                  weft_stream_t) {
  return start(comm, {weft_collective_reduce_scatter, send, receive, count, type, op, 0, {}});
}
weft_result_t weft_all_gather(const void* send, void* receive, size_t count, weft_datatype_t type,
                              weft_comm_t comm, weft_stream_t) {
  return start(comm, {weft_collective_all_gather, send, receive, count, type, weft_sum, 0, {}});
}
weft_result_t weft_broadcast(const void* send, void* receive, size_t count, weft_datatype_t type,
                             int root, weft_comm_t comm, weft_stream_t) {
  return start(comm, {weft_collective_broadcast, send, receive, count, type, weft_sum, root, {}});
}
weft_result_t weft_reduce(const void* send, void* receive, size_t count, weft_datatype_t type,
                          weft_op_t op, int root, weft_comm_t comm, weft_stream_t) {
  return start(comm, {weft_collective_reduce, send, receive, count, type, op, root, {}});
}
weft_result_t weft_gather(const void* send, void* receive, size_t count, weft_datatype_t type,
                          int root, weft_comm_t comm, weft_stream_t) {
  return start(comm, {weft_collective_gather, send, receive, count, type, weft_sum, root, {}});
}
weft_result_t weft_scatter(const void* send, void* receive, size_t count, weft_datatype_t type,
                           int root, weft_comm_t comm, weft_stream_t) {
  return start(comm, {weft_collective_scatter, send, receive, count, type, weft_sum, root, {}});
}
weft_result_t weft_all_to_all(const void* send, void* receive, size_t count, weft_datatype_t type,
                              weft_comm_t comm, weft_stream_t) {
  return start(comm, {weft_collective_all_to_all, send, receive, count, type, weft_sum, 0, {}});
}

// Uneven, without gaps: the tools give no displacements.
weft_result_t weft_all_gatherv(const void* send, void* receive, const size_t* counts, const size_t*,
                               weft_datatype_t type, weft_comm_t comm, weft_stream_t) {
  Operation operation = uneven(weft_collective_all_gather, send, receive, type, 0);
  operation.one_block = true;
  operation.sent.assign(comm->world->ranks(), counts[comm->rank]);
  return start(comm, operation);
}
weft_result_t weft_gatherv(const void* send, size_t count, void* receive, const size_t*,
                           const size_t*, weft_datatype_t type, int root, weft_comm_t comm,
                           weft_stream_t) {
  Operation operation = uneven(weft_collective_gather, send, receive, type, root);
  operation.one_block = true;
  operation.sent.assign(comm->world->ranks(), count);
  return start(comm, operation);
}
weft_result_t weft_scatterv(const void* send, const size_t* counts, const size_t*, void* receive,
                            size_t, weft_datatype_t type, int root, weft_comm_t comm,
                            weft_stream_t) {
  Operation operation = uneven(weft_collective_scatter, send, receive, type, root);
  if (comm->rank == root) operation.sent.assign(counts, counts + comm->world->ranks());
  return start(comm, operation);
}
weft_result_t weft_reduce_scatterv(const void* send, void* receive, const size_t* counts,
                                   const size_t*, weft_datatype_t type, weft_op_t op,
                                   weft_comm_t comm, weft_stream_t) {
  Operation operation = uneven(weft_collective_reduce_scatter, send, receive, type, 0);
  operation.op = op;
  operation.received.assign(counts, counts + comm->world->ranks());
  return start(comm, operation);
}
weft_result_t weft_all_to_allv(const void* send, const size_t* counts, const size_t*, void* receive,
                               const size_t*, const size_t*, weft_datatype_t type, weft_comm_t comm,
                               weft_stream_t) {
  Operation operation = uneven(weft_collective_all_to_all, send, receive, type, 0);
  operation.sent.assign(counts, counts + comm->world->ranks());
  return start(comm, operation);
}
weft_result_t weft_barrier(weft_comm_t comm, weft_stream_t) { return start(comm, {}); }

weft_result_t weft_group_start(void) {
  ++group_depth;
  return weft_ok;
}
weft_result_t weft_group_end(void) {
  if (--group_depth) return weft_ok;
  for (const auto& [comm, sequence] : group_waits) comm->world->wait(sequence);
  group_waits.clear();
  return weft_ok;
}

}  // extern "C"
