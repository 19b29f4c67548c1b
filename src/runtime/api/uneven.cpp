// The collectives on blocks of any size.
#include <algorithm>

#include "runtime/api/calls.hpp"

using namespace weft;
using namespace weft::runtime;
using namespace weft::runtime::api;
using schedule::Blocks;
using weft::schedule::Kind;

namespace {

// One array of counts and one of displacements, as a caller gives them.
struct List {
  const size_t* counts;
  const size_t* displs;  // NULL: blocks follow one another
  const char* name;
};

Result<Blocks> blocks_of(const List& list, u32 ranks) {
  WEFT_TRY(need(list.counts, list.name));
  Blocks blocks{{list.counts, list.counts + ranks}, {}};
  if (list.displs) {
    blocks.at.assign(list.displs, list.displs + ranks);
    return blocks;
  }
  u64 at = 0;
  for (const u64 count : blocks.count) {
    blocks.at.push_back(at);
    if (__builtin_add_overflow(at, count, &at))
      return fail(Code::invalid_argument, "the sum of {} does not fit 64 bits", list.name);
  }
  return blocks;
}

// What a rank sees that knows of its own block alone: it is all of the buffer.
Blocks own_block(u64 count, u32 rank, u32 ranks) {
  Blocks blocks{std::vector<u64>(ranks), std::vector<u64>(ranks)};
  blocks.count[rank] = count;
  return blocks;
}

// The same blocks, each in a buffer of its own rank.
Blocks apart(const Blocks& blocks) { return {blocks.count, std::vector<u64>(blocks.count.size())}; }

// Two blocks that are received to one place would race; to send one twice is fine.
Status check_places(const Blocks& blocks, const char* name, bool may_share) {
  struct Taken {
    u64 begin, end;
    std::size_t rank;
    bool operator<(const Taken& other) const { return begin < other.begin; }
  };
  std::vector<Taken> taken;
  for (std::size_t i = 0; i < blocks.count.size(); ++i) {
    u64 end = 0;
    if (__builtin_add_overflow(blocks.at[i], blocks.count[i], &end) || end > u64{1} << 56)
      return fail(Code::invalid_argument,
                  "{}: the block of rank {}, {} elements from {} on, ends beyond any memory", name,
                  i, blocks.count[i], blocks.at[i]);
    if (blocks.count[i] && !may_share) taken.push_back({blocks.at[i], end, i});
  }
  if (!std::is_sorted(taken.begin(), taken.end())) std::sort(taken.begin(), taken.end());
  for (std::size_t i = 1; i < taken.size(); ++i)
    if (taken[i].begin < taken[i - 1].end)
      return fail(Code::invalid_argument,
                  "{}: the blocks of ranks {} and {} share elements [{}, {}): mind counts and "
                  "displacements, which are in elements",
                  name, taken[i - 1].rank, taken[i].rank, taken[i].begin,
                  std::min(taken[i].end, taken[i - 1].end));
  return {};
}

// `make(rank, ranks)` gives the Uneven of this rank.
template <class Make, class... Out>
weft_result_t uneven(Kind kind, const void* input, void* output, int type, int op, int root,
                     weft_comm_t comm, weft_stream_t stream, Make make, Out... out) {
  return guarded([&]() -> Status {
    WEFT_ASSIGN(Communicator* const communicator, use(comm));
    WEFT_TRY(check(type, root, stream));
    const u32 rank = communicator->rank(), ranks = communicator->ranks();
    if (u32(root) >= ranks)
      return fail(Code::invalid_argument, "{}v: root {} is not one of the ranks 0 to {}",
                  schedule::name_of(kind), root, ranks - 1);
    WEFT_ASSIGN(Uneven made, make(rank, ranks));
    WEFT_TRY(check_places(made.input, "sendbuff", true));
    WEFT_TRY(check_places(made.output, "recvbuff", !places_of(kind).whole_output));
    Call call{kind, input, output, 0, DataType(type), u32(op), u32(root)};
    call.uneven = std::make_shared<const Uneven>(std::move(made));
    return run(*communicator, call, out...);
  });
}

Result<Uneven> to_root(u32 rank, u32 ranks, int root, u64 own, const List& all) {
  if (rank != u32(root)) {
    const Blocks mine = own_block(own, rank, ranks);
    return Uneven{mine, mine};
  }
  WEFT_ASSIGN(Blocks blocks, blocks_of(all, ranks));
  if (blocks.count[rank] != own)
    return fail(Code::invalid_argument, "the root gives {} elements for its own block in {} and {}",
                blocks.count[rank], all.name, own);
  Blocks single = apart(blocks);
  return Uneven{std::move(single), std::move(blocks)};
}

template <class... Out>
weft_result_t gatherv(const void* in, size_t sendcount, void* out, const List& all, int type,
                      int root, weft_comm_t comm, weft_stream_t stream, Out... to) {
  return uneven(
      Kind::gather, in, out, type, weft_sum, root, comm, stream,
      [&](u32 rank, u32 ranks) { return to_root(rank, ranks, root, sendcount, all); }, to...);
}

template <class... Out>
weft_result_t scatterv(const void* in, const List& all, void* out, size_t recvcount, int type,
                       int root, weft_comm_t comm, weft_stream_t stream, Out... to) {
  return uneven(
      Kind::scatter, in, out, type, weft_sum, root, comm, stream,
      [&](u32 rank, u32 ranks) -> Result<Uneven> {
        WEFT_ASSIGN(Uneven made, to_root(rank, ranks, root, recvcount, all));
        std::swap(made.input, made.output);
        return made;
      },
      to...);
}

template <class... Out>
weft_result_t all_gatherv(const void* in, void* out, const List& all, int type, weft_comm_t comm,
                          weft_stream_t stream, Out... to) {
  return uneven(
      Kind::all_gather, in, out, type, weft_sum, 0, comm, stream,
      [&](u32, u32 ranks) -> Result<Uneven> {
        WEFT_ASSIGN(Blocks blocks, blocks_of(all, ranks));
        Blocks single = apart(blocks);
        const u64 agreed = digest_of(blocks.count);
        return Uneven{std::move(single), std::move(blocks), agreed};
      },
      to...);
}

template <class... Out>
weft_result_t reduce_scatterv(const void* in, void* out, const List& all, int type, int op,
                              weft_comm_t comm, weft_stream_t stream, Out... to) {
  return uneven(
      Kind::reduce_scatter, in, out, type, op, 0, comm, stream,
      [&](u32, u32 ranks) -> Result<Uneven> {
        WEFT_ASSIGN(Blocks blocks, blocks_of(all, ranks));
        Blocks single = apart(blocks);
        const u64 agreed = digest_of(blocks.count);
        return Uneven{std::move(blocks), std::move(single), agreed};
      },
      to...);
}

template <class... Out>
weft_result_t all_to_allv(const void* in, const List& sends, void* out, const List& receives,
                          int type, weft_comm_t comm, weft_stream_t stream, Out... to) {
  return uneven(
      Kind::all_to_all, in, out, type, weft_sum, 0, comm, stream,
      [&](u32 rank, u32 ranks) -> Result<Uneven> {
        WEFT_ASSIGN(Blocks sent, blocks_of(sends, ranks));
        WEFT_ASSIGN(Blocks received, blocks_of(receives, ranks));
        if (sent.count[rank] != received.count[rank])
          return fail(Code::invalid_argument,
                      "rank {} sends {} elements to itself and receives {} of them", rank,
                      sent.count[rank], received.count[rank]);
        return Uneven{std::move(sent), std::move(received)};
      },
      to...);
}

// All counts are known to all: their hash is part of what ranks compare.
template <class... Out>
weft_result_t all_to_allvc(const void* in, void* out, const size_t* counts, int type,
                           weft_comm_t comm, weft_stream_t stream, Out... to) {
  return uneven(
      Kind::all_to_all, in, out, type, weft_sum, 0, comm, stream,
      [&](u32 rank, u32 ranks) -> Result<Uneven> {
        WEFT_TRY(need(counts, "counts"));
        std::vector<size_t> row, column;
        for (u32 peer = 0; peer < ranks; ++peer) {
          row.push_back(counts[std::size_t(rank) * ranks + peer]);
          column.push_back(counts[std::size_t(peer) * ranks + rank]);
        }
        WEFT_ASSIGN(Blocks sent, blocks_of({row.data(), nullptr, "counts"}, ranks));
        WEFT_ASSIGN(Blocks received, blocks_of({column.data(), nullptr, "counts"}, ranks));
        Uneven made{std::move(sent), std::move(received)};
        made.agreed = digest_of({counts, counts + std::size_t(ranks) * ranks});
        return made;
      },
      to...);
}

}  // namespace

extern "C" {

weft_result_t weft_gatherv(const void* in, size_t sendcount, void* out, const size_t* recvcounts,
                           const size_t* rdispls, weft_datatype_t type, int root, weft_comm_t comm,
                           weft_stream_t stream) {
  return gatherv(in, sendcount, out, {recvcounts, rdispls, "recvcounts"}, type, root, comm, stream);
}
weft_result_t weft_gatherv_start(const void* in, size_t sendcount, void* out,
                                 const size_t* recvcounts, const size_t* rdispls,
                                 weft_datatype_t type, int root, weft_comm_t comm,
                                 weft_stream_t stream, weft_request_t* request) {
  return gatherv(in, sendcount, out, {recvcounts, rdispls, "recvcounts"}, type, root, comm, stream,
                 request);
}
weft_result_t weft_gatherv_init(const void* in, size_t sendcount, void* out,
                                const size_t* recvcounts, const size_t* rdispls,
                                weft_datatype_t type, int root, weft_comm_t comm,
                                weft_stream_t stream, weft_operation_t* operation) {
  return gatherv(in, sendcount, out, {recvcounts, rdispls, "recvcounts"}, type, root, comm, stream,
                 operation);
}

weft_result_t weft_scatterv(const void* in, const size_t* sendcounts, const size_t* sdispls,
                            void* out, size_t recvcount, weft_datatype_t type, int root,
                            weft_comm_t comm, weft_stream_t stream) {
  return scatterv(in, {sendcounts, sdispls, "sendcounts"}, out, recvcount, type, root, comm,
                  stream);
}
weft_result_t weft_scatterv_start(const void* in, const size_t* sendcounts, const size_t* sdispls,
                                  void* out, size_t recvcount, weft_datatype_t type, int root,
                                  weft_comm_t comm, weft_stream_t stream, weft_request_t* request) {
  return scatterv(in, {sendcounts, sdispls, "sendcounts"}, out, recvcount, type, root, comm, stream,
                  request);
}
weft_result_t weft_scatterv_init(const void* in, const size_t* sendcounts, const size_t* sdispls,
                                 void* out, size_t recvcount, weft_datatype_t type, int root,
                                 weft_comm_t comm, weft_stream_t stream,
                                 weft_operation_t* operation) {
  return scatterv(in, {sendcounts, sdispls, "sendcounts"}, out, recvcount, type, root, comm, stream,
                  operation);
}

weft_result_t weft_all_gatherv(const void* in, void* out, const size_t* recvcounts,
                               const size_t* rdispls, weft_datatype_t type, weft_comm_t comm,
                               weft_stream_t stream) {
  return all_gatherv(in, out, {recvcounts, rdispls, "recvcounts"}, type, comm, stream);
}
weft_result_t weft_all_gatherv_start(const void* in, void* out, const size_t* recvcounts,
                                     const size_t* rdispls, weft_datatype_t type, weft_comm_t comm,
                                     weft_stream_t stream, weft_request_t* request) {
  return all_gatherv(in, out, {recvcounts, rdispls, "recvcounts"}, type, comm, stream, request);
}
weft_result_t weft_all_gatherv_init(const void* in, void* out, const size_t* recvcounts,
                                    const size_t* rdispls, weft_datatype_t type, weft_comm_t comm,
                                    weft_stream_t stream, weft_operation_t* operation) {
  return all_gatherv(in, out, {recvcounts, rdispls, "recvcounts"}, type, comm, stream, operation);
}

weft_result_t weft_reduce_scatterv(const void* in, void* out, const size_t* recvcounts,
                                   const size_t* displs, weft_datatype_t type, weft_op_t op,
                                   weft_comm_t comm, weft_stream_t stream) {
  return reduce_scatterv(in, out, {recvcounts, displs, "recvcounts"}, type, op, comm, stream);
}
weft_result_t weft_reduce_scatterv_start(const void* in, void* out, const size_t* recvcounts,
                                         const size_t* displs, weft_datatype_t type, weft_op_t op,
                                         weft_comm_t comm, weft_stream_t stream,
                                         weft_request_t* request) {
  return reduce_scatterv(in, out, {recvcounts, displs, "recvcounts"}, type, op, comm, stream,
                         request);
}
weft_result_t weft_reduce_scatterv_init(const void* in, void* out, const size_t* recvcounts,
                                        const size_t* displs, weft_datatype_t type, weft_op_t op,
                                        weft_comm_t comm, weft_stream_t stream,
                                        weft_operation_t* operation) {
  return reduce_scatterv(in, out, {recvcounts, displs, "recvcounts"}, type, op, comm, stream,
                         operation);
}

weft_result_t weft_all_to_allv(const void* in, const size_t* sendcounts, const size_t* sdispls,
                               void* out, const size_t* recvcounts, const size_t* rdispls,
                               weft_datatype_t type, weft_comm_t comm, weft_stream_t stream) {
  return all_to_allv(in, {sendcounts, sdispls, "sendcounts"}, out,
                     {recvcounts, rdispls, "recvcounts"}, type, comm, stream);
}
weft_result_t weft_all_to_allv_start(const void* in, const size_t* sendcounts,
                                     const size_t* sdispls, void* out, const size_t* recvcounts,
                                     const size_t* rdispls, weft_datatype_t type, weft_comm_t comm,
                                     weft_stream_t stream, weft_request_t* request) {
  return all_to_allv(in, {sendcounts, sdispls, "sendcounts"}, out,
                     {recvcounts, rdispls, "recvcounts"}, type, comm, stream, request);
}
weft_result_t weft_all_to_allv_init(const void* in, const size_t* sendcounts, const size_t* sdispls,
                                    void* out, const size_t* recvcounts, const size_t* rdispls,
                                    weft_datatype_t type, weft_comm_t comm, weft_stream_t stream,
                                    weft_operation_t* operation) {
  return all_to_allv(in, {sendcounts, sdispls, "sendcounts"}, out,
                     {recvcounts, rdispls, "recvcounts"}, type, comm, stream, operation);
}

weft_result_t weft_all_to_allvc(const void* in, void* out, const size_t* counts,
                                weft_datatype_t type, weft_comm_t comm, weft_stream_t stream) {
  return all_to_allvc(in, out, counts, type, comm, stream);
}
weft_result_t weft_all_to_allvc_start(const void* in, void* out, const size_t* counts,
                                      weft_datatype_t type, weft_comm_t comm, weft_stream_t stream,
                                      weft_request_t* request) {
  return all_to_allvc(in, out, counts, type, comm, stream, request);
}
weft_result_t weft_all_to_allvc_init(const void* in, void* out, const size_t* counts,
                                     weft_datatype_t type, weft_comm_t comm, weft_stream_t stream,
                                     weft_operation_t* operation) {
  return all_to_allvc(in, out, counts, type, comm, stream, operation);
}

}  // extern "C"
