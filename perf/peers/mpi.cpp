// MPI as a peer: one blocking call of MPI for each call of Weft, on the same buffers.
//
// Its work beyond MPI's own is where the two promise different things: MPI_Bcast leaves the root's
// second buffer alone, so out of place the root copies; the result of MPI_Reduce_scatter_block in
// place lies in block 0, so it is moved to the rank's own. Threads: one.
#include <mpi.h>

#include <climits>
#include <cstring>
#include <string>

#include "perf/peer.hpp"
#include "perf/ramp.hpp"

namespace {

using weft::perf::Peer;
using weft::perf::PeerCall;
using weft::perf::PeerJob;
namespace ramp = weft::perf::ramp;

MPI_Comm comm = MPI_COMM_NULL;
int own_rank = 0, all_ranks = 1;
bool is_ours = false;  // whether MPI was started here
std::string last_error, product_name;

bool is_ok(int code, const char* what) {
  if (code == MPI_SUCCESS) return true;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  last_error = std::string(what) + ": " + text;
  return false;
}

MPI_Datatype type_of(weft_datatype_t type) {
  switch (type) {
    case weft_int8: return MPI_INT8_T;
    case weft_uint8: return MPI_UINT8_T;
    case weft_int16: return MPI_INT16_T;
    case weft_uint16: return MPI_UINT16_T;
    case weft_int32: return MPI_INT32_T;
    case weft_uint32: return MPI_UINT32_T;
    case weft_int64: return MPI_INT64_T;
    case weft_uint64: return MPI_UINT64_T;
    case weft_float32: return MPI_FLOAT;
    case weft_float64: return MPI_DOUBLE;
    case weft_float32_int32: return MPI_FLOAT_INT;
    case weft_float64_int32: return MPI_DOUBLE_INT;
    case weft_int16_int32: return MPI_SHORT_INT;
    case weft_int32_int32: return MPI_2INT;
    case weft_int64_int32: return MPI_LONG_INT;
    // MPI 3.1 has no narrow floats; its bool must be 0 or 1, where Weft's takes any byte.
    default: return MPI_DATATYPE_NULL;
  }
}

MPI_Op op_of(weft_op_t op) {
  switch (op) {
    case weft_sum: return MPI_SUM;
    case weft_prod: return MPI_PROD;
    case weft_max: return MPI_MAX;
    case weft_min: return MPI_MIN;
    case weft_band: return MPI_BAND;
    case weft_bor: return MPI_BOR;
    case weft_bxor: return MPI_BXOR;
    case weft_land: return MPI_LAND;
    case weft_lor: return MPI_LOR;
    case weft_lxor: return MPI_LXOR;
    case weft_minloc: return MPI_MINLOC;
    case weft_maxloc: return MPI_MAXLOC;
    default: return MPI_OP_NULL;  // no averages, nothing wide
  }
}

// What is only moved needs a type of that size: pairs as such would leave out their padding.
MPI_Datatype moved(weft_datatype_t type) {
  switch (weft_datatype_bytes(type)) {
    case 1: return MPI_UINT8_T;
    case 2: return MPI_UINT16_T;
    case 4: return MPI_UINT32_T;
    case 8: return MPI_UINT64_T;
    default: return MPI_C_DOUBLE_COMPLEX;  // 16
  }
}

bool supports(weft_collective_t kind, weft_datatype_t type, weft_op_t op) {
  const bool reduces = kind == weft_collective_all_reduce ||
                       kind == weft_collective_reduce_scatter || kind == weft_collective_reduce;
  return !reduces ||
         (weft_reduces(type, op) && type_of(type) != MPI_DATATYPE_NULL && op_of(op) != MPI_OP_NULL);
}

bool start(const PeerJob* job) {
  int started = 0, ended = 0, level = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  if (ended) {
    last_error = "MPI_Init: MPI was finalized in this process before";
    return false;
  }
  is_ours = !started;
  if (!started &&
      !is_ok(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level), "MPI_Init_thread"))
    return false;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (!is_ok(MPI_Comm_split(MPI_COMM_WORLD, job->colour, job->rank, &comm), "MPI_Comm_split"))
    return false;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &own_rank);
  MPI_Comm_size(comm, &all_ranks);
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  product_name = std::string(text).substr(0, std::string(text).find_first_of(",\n"));
  if (own_rank == job->rank && all_ranks == job->ranks) return true;
  last_error = "MPI has rank " + std::to_string(own_rank) + " of " + std::to_string(all_ranks) +
               " where Weft has " + std::to_string(job->rank) + " of " +
               std::to_string(job->ranks) + ": start all ranks by this MPI's own mpirun";
  return false;
}

bool reduce_scatter(const PeerCall& call, std::size_t bytes, MPI_Datatype type, MPI_Op op) {
  const int count = static_cast<int>(call.count);
  const auto* send = static_cast<const std::byte*>(call.send);
  auto* receive = static_cast<std::byte*>(call.receive);
  const bool in_place = receive == send + own_rank * bytes;
  if (!in_place)
    return is_ok(MPI_Reduce_scatter_block(send, receive, count, type, op, comm),
                 "MPI_Reduce_scatter_block");
  std::byte* first = receive - own_rank * bytes;
  if (!is_ok(MPI_Reduce_scatter_block(MPI_IN_PLACE, first, count, type, op, comm),
             "MPI_Reduce_scatter_block"))
    return false;
  std::memmove(receive, first, bytes);
  return true;
}

// In place at the root: what it has is there already.
bool rooted(const PeerCall& call, std::size_t bytes, MPI_Datatype type, MPI_Op op) {
  const int count = static_cast<int>(call.count), root = call.root;
  const auto* send = static_cast<const std::byte*>(call.send);
  auto* receive = static_cast<std::byte*>(call.receive);
  const bool is_root = own_rank == root;
  if (call.kind == weft_collective_reduce) {
    const void* const from = is_root && send == receive ? MPI_IN_PLACE : call.send;
    return is_ok(MPI_Reduce(from, receive, count, type, op, root, comm), "MPI_Reduce");
  }
  const MPI_Datatype unit = moved(call.type);
  if (call.kind == weft_collective_gather) {
    const bool in_place = is_root && send == receive + root * bytes;
    return is_ok(MPI_Gather(in_place ? MPI_IN_PLACE : call.send, count, unit, receive, count, unit,
                            root, comm),
                 "MPI_Gather");
  }
  const bool in_place = is_root && receive == send + root * bytes;
  return is_ok(MPI_Scatter(send, count, unit, in_place ? MPI_IN_PLACE : call.receive, count, unit,
                           root, comm),
               "MPI_Scatter");
}

// Blocks that grow, at the places of the Weft call.
bool uneven(const PeerCall& call) {
  static ramp::Blocks<int> blocks;
  const bool to_all = call.kind == weft_collective_all_to_all;
  blocks.set(call.count, all_ranks, to_all ? own_rank : 0);
  const int *counts = blocks.counts.data(), *places = blocks.places.data();
  const int own = counts[own_rank], root = call.root;
  const MPI_Datatype type =
      call.kind == weft_collective_reduce_scatter ? type_of(call.type) : moved(call.type);
  const std::size_t before = places[own_rank] * weft_datatype_bytes(call.type);
  const auto* send = static_cast<const std::byte*>(call.send);
  auto* receive = static_cast<std::byte*>(call.receive);
  const bool is_root = own_rank == root;
  switch (call.kind) {
    case weft_collective_all_gather:
      return is_ok(MPI_Allgatherv(send == receive + before ? MPI_IN_PLACE : send, own, type,
                                  receive, counts, places, type, comm),
                   "MPI_Allgatherv");
    case weft_collective_gather:
      return is_ok(MPI_Gatherv(is_root && send == receive + before ? MPI_IN_PLACE : send, own, type,
                               receive, counts, places, type, root, comm),
                   "MPI_Gatherv");
    case weft_collective_scatter: {
      void* const to = is_root && receive == send + before ? MPI_IN_PLACE : receive;
      return is_ok(MPI_Scatterv(send, counts, places, type, to, own, type, root, comm),
                   "MPI_Scatterv");
    }
    case weft_collective_reduce_scatter: {
      const bool in_place = receive == send + before;
      std::byte* const to = in_place ? receive - before : receive;
      if (!is_ok(MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : send, to, counts, type,
                                    op_of(call.op), comm),
                 "MPI_Reduce_scatter"))
        return false;
      if (in_place) std::memmove(receive, to, own * weft_datatype_bytes(call.type));
      return true;
    }
    default:
      return is_ok(MPI_Alltoallv(send == receive ? MPI_IN_PLACE : send, counts, places, type,
                                 receive, counts, places, type, comm),
                   "MPI_Alltoallv");
  }
}

bool run(const PeerCall* call) {
  const std::size_t elements = call->uneven ? call->count * ramp::total(all_ranks) : call->count;
  if (elements > INT_MAX) {
    last_error = "MPI 3.1 counts in int: " + std::to_string(elements) + " elements are too many";
    return false;
  }
  if (call->uneven) return uneven(*call);
  const int count = static_cast<int>(call->count);
  const std::size_t bytes = call->count * weft_datatype_bytes(call->type);
  MPI_Datatype type = type_of(call->type);
  MPI_Op op = op_of(call->op);
  switch (call->kind) {
    case weft_collective_all_reduce:
      return is_ok(MPI_Allreduce(call->send == call->receive ? MPI_IN_PLACE : call->send,
                                 call->receive, count, type, op, comm),
                   "MPI_Allreduce");
    case weft_collective_reduce_scatter: return reduce_scatter(*call, bytes, type, op);
    case weft_collective_all_gather: {
      const bool in_place = call->send == static_cast<std::byte*>(call->receive) + own_rank * bytes;
      type = moved(call->type);
      return is_ok(MPI_Allgather(in_place ? MPI_IN_PLACE : call->send, count, type, call->receive,
                                 count, type, comm),
                   "MPI_Allgather");
    }
    case weft_collective_broadcast: {
      const bool copies = own_rank == call->root && call->send != call->receive && bytes;
      void* buffer = own_rank == call->root ? const_cast<void*>(call->send) : call->receive;
      if (!is_ok(MPI_Bcast(buffer, count, moved(call->type), call->root, comm), "MPI_Bcast"))
        return false;
      if (copies) std::memcpy(call->receive, call->send, bytes);
      return true;
    }
    case weft_collective_reduce:
    case weft_collective_gather:
    case weft_collective_scatter: return rooted(*call, bytes, type, op);
    case weft_collective_all_to_all: {
      type = moved(call->type);
      return is_ok(MPI_Alltoall(call->send == call->receive ? MPI_IN_PLACE : call->send, count,
                                type, call->receive, count, type, comm),
                   "MPI_Alltoall");
    }
    default: break;
  }
  return is_ok(MPI_Barrier(comm), "MPI_Barrier");
}

void finish() {
  MPI_Comm_free(&comm);
  if (is_ours) MPI_Finalize();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const Peer* weft_perf_peer() {
  static const Peer peer = {.version = weft::perf::peer_version,
                            .name = WEFT_PERF_PEER,
                            .uneven = true,
                            .forms = nullptr,
                            .start = start,
                            .see = nullptr,
                            .product = [] { return product_name.c_str(); },
                            .supports = supports,
                            .fits = nullptr,
                            .call = run,
                            .finish = finish,
                            .error = [] { return last_error.c_str(); }};
  return &peer;
}
