#include "arena.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace differential {

namespace {

Side side_of(std::vector<std::size_t> counts, const Case& c, std::uint64_t salt) {
  Side side{std::move(counts), {}, 0};
  for (std::size_t b = 0; b < side.count.size(); ++b) {
    if (c.gaps) side.elements += mix(c.seed ^ salt, b) % 5;
    side.at.push_back(side.elements);
    side.elements += side.count[b];
  }
  return side;
}

bool gathers(Collective k) {
  return k == Collective::all_gather || k == Collective::gather || k == Collective::gatherv ||
         k == Collective::all_gatherv;
}
bool scatters(Collective k) {
  return k == Collective::reduce_scatter || k == Collective::scatter || k == Collective::scatterv ||
         k == Collective::reduce_scatterv;
}
bool exchanges(Collective k) {
  return k == Collective::all_to_all || k == Collective::all_to_allv ||
         k == Collective::all_to_allvc;
}

// With displacements, which the full matrix has none of.
Side blocks(Case c, int ranks, std::uint64_t salt, auto size) {
  if (c.collective == Collective::all_to_allvc) c.gaps = false;
  std::vector<std::size_t> counts;
  for (int r = 0; r < ranks; ++r) counts.push_back(is_uneven(c.collective) ? size(r) : c.count);
  return side_of(std::move(counts), c, salt);
}

// A single block needs no displacement.
Side block(const Case& c, std::size_t size) {
  const std::size_t count = is_uneven(c.collective) ? size : c.count;
  return {{count}, {0}, count};
}

template <class T>
void store(std::byte* at, std::uint64_t value) {
  const T number = T(value);
  std::memcpy(at, &number, sizeof number);
}

void store(weft_datatype_t type, std::byte* at, std::uint64_t value) {
  switch (type) {
    case weft_float32: return store<float>(at, value);
    case weft_float64: return store<double>(at, value);
    default:
      switch (weft_datatype_bytes(type)) {
        case 1: return store<std::uint8_t>(at, value);
        case 4: return store<std::uint32_t>(at, value);
        default: return store<std::uint64_t>(at, value);
      }
  }
}

MPI_Datatype mpi_type(weft_datatype_t type) {
  switch (type) {
    case weft_int8: return MPI_INT8_T;
    case weft_uint8: return MPI_UINT8_T;
    case weft_int32: return MPI_INT32_T;
    case weft_uint32: return MPI_UINT32_T;
    case weft_int64: return MPI_INT64_T;
    case weft_uint64: return MPI_UINT64_T;
    case weft_float32: return MPI_FLOAT;
    default: return MPI_DOUBLE;
  }
}

MPI_Op mpi_op(weft_op_t op) {
  switch (op) {
    case weft_sum: return MPI_SUM;
    case weft_prod: return MPI_PROD;
    case weft_max: return MPI_MAX;
    case weft_min: return MPI_MIN;
    case weft_band: return MPI_BAND;
    case weft_bor: return MPI_BOR;
    default: return MPI_BXOR;
  }
}

std::vector<int> ints(const std::vector<std::size_t>& from) { return {from.begin(), from.end()}; }

}  // namespace

Side input_of(const Case& c, int rank, int ranks) {
  if (scatters(c.collective))
    return blocks(c, ranks, 1, [&](int r) { return elements(c, rank, r); });
  if (exchanges(c.collective))
    return blocks(c, ranks, 2 + std::uint64_t(rank), [&](int r) { return elements(c, rank, r); });
  return block(c, elements(c, rank, c.root));
}

Side output_of(const Case& c, int rank, int ranks) {
  if (gathers(c.collective))
    return blocks(c, ranks, 1, [&](int r) { return elements(c, r, c.root); });
  if (exchanges(c.collective))
    return blocks(c, ranks, 1000 + std::uint64_t(rank),
                  [&](int r) { return elements(c, r, rank); });
  return block(c, elements(c, c.root, rank));
}

Arena::Arena(const Case& c, int rank, int ranks, int flight)
    : in(input_of(c, rank, ranks)),
      out(output_of(c, rank, ranks)),
      case_(c),
      rank_(rank),
      ranks_(ranks),
      element_(weft_datatype_bytes(c.type)) {
  place();
  void* memory = nullptr;
  if (c.lent) {
    if (weft_mem_alloc(&memory, bytes_ + 1)) std::abort();
  } else {
    memory = std::malloc(bytes_ + 1);
  }
  memory_ = static_cast<std::byte*>(memory);
  fill(flight);
}

Arena::~Arena() { case_.lent ? void(weft_mem_free(memory_)) : std::free(memory_); }

bool Arena::gets_anything() const {
  switch (case_.collective) {
    case Collective::reduce:
    case Collective::gather:
    case Collective::gatherv: return rank_ == case_.root;
    case Collective::exscan: return rank_ > 0;
    case Collective::barrier: return false;
    default: return true;
  }
}

// In place as weft.h says for each; apart, there is a gap of an odd number of elements.
void Arena::place() {
  const std::size_t in_bytes = in.elements * element_, out_bytes = out.elements * element_;
  const bool in_place = case_.in_place && (!has_root(case_.collective) || rank_ == case_.root);
  if (!in_place) {
    output_at_ = in_bytes + 3 * element_;
  } else if (gathers(case_.collective)) {
    input_at_ = out.at[std::size_t(rank_)] * element_;
  } else if (scatters(case_.collective)) {
    output_at_ = in.at[std::size_t(rank_)] * element_;
  }
  bytes_ = std::max(input_at_ + in_bytes, output_at_ + out_bytes);
}

// Small whole numbers, so that sums are exact and fit every type in any order.
void Arena::fill(int flight) {
  std::memset(memory_, 0x5a, bytes_);
  std::uint64_t block = 0;
  for (std::size_t b = 0; b < in.count.size(); ++b, ++block)
    for (std::size_t i = 0; i < in.count[b]; ++i) {
      const std::uint64_t place = mix(case_.seed + std::uint64_t(flight), block << 32 | i);
      std::uint64_t value = mix(place, std::uint64_t(rank_)) % 4;
      if (case_.op == weft_prod && reduces(case_.collective))
        value = 1 + (place % std::uint64_t(ranks_) == std::uint64_t(rank_));
      store(case_.type, input() + (in.at[b] + i) * element_, value);
    }
}

void Arena::expect() {
  const std::vector<std::byte> sent(input(), input() + in.elements * element_);
  std::vector<std::byte> got(output(), output() + out.elements * element_);
  const MPI_Datatype type = mpi_type(case_.type);
  const MPI_Op op = mpi_op(case_.op);
  const int count = int(case_.count), root = case_.root;
  const MPI_Comm world = MPI_COMM_WORLD;
  const std::vector<int> in_counts = ints(in.count), in_at = ints(in.at);
  const std::vector<int> out_counts = ints(out.count), out_at = ints(out.at);
  const void* const from = sent.data();
  void* const to = got.data();
  switch (case_.collective) {
    case Collective::all_reduce: MPI_Allreduce(from, to, count, type, op, world); break;
    case Collective::reduce_scatter:
      MPI_Reduce_scatter_block(from, to, count, type, op, world);
      break;
    case Collective::all_gather: MPI_Allgather(from, count, type, to, count, type, world); break;
    case Collective::broadcast:
      if (rank_ == root) got = sent;
      MPI_Bcast(got.data(), count, type, root, world);
      break;
    case Collective::barrier: MPI_Barrier(world); break;
    case Collective::reduce: MPI_Reduce(from, to, count, type, op, root, world); break;
    case Collective::gather: MPI_Gather(from, count, type, to, count, type, root, world); break;
    case Collective::scatter: MPI_Scatter(from, count, type, to, count, type, root, world); break;
    case Collective::all_to_all: MPI_Alltoall(from, count, type, to, count, type, world); break;
    case Collective::scan: MPI_Scan(from, to, count, type, op, world); break;
    case Collective::exscan: MPI_Exscan(from, to, count, type, op, world); break;
    case Collective::gatherv:
      MPI_Gatherv(from, in_counts[0], type, to, out_counts.data(), out_at.data(), type, root,
                  world);
      break;
    case Collective::scatterv:
      MPI_Scatterv(from, in_counts.data(), in_at.data(), type, to, out_counts[0], type, root,
                   world);
      break;
    case Collective::all_gatherv:
      MPI_Allgatherv(from, in_counts[0], type, to, out_counts.data(), out_at.data(), type, world);
      break;
    case Collective::reduce_scatterv: {  // MPI knows no gaps here
      std::vector<std::byte> close;
      for (std::size_t b = 0; b < in.count.size(); ++b)
        close.insert(close.end(), sent.begin() + std::ptrdiff_t(in.at[b] * element_),
                     sent.begin() + std::ptrdiff_t((in.at[b] + in.count[b]) * element_));
      MPI_Reduce_scatter(close.data(), to, in_counts.data(), type, op, world);
      break;
    }
    case Collective::all_to_allv:
    case Collective::all_to_allvc:
      MPI_Alltoallv(from, in_counts.data(), in_at.data(), type, to, out_counts.data(),
                    out_at.data(), type, world);
      break;
  }
  expected_.assign(memory_, memory_ + bytes_);
  if (!gets_anything()) return;
  for (std::size_t b = 0; b < out.count.size(); ++b)
    std::copy_n(got.begin() + std::ptrdiff_t(out.at[b] * element_), out.count[b] * element_,
                expected_.begin() + std::ptrdiff_t(output_at_ + out.at[b] * element_));
}

std::string Arena::check() const {
  for (std::size_t i = 0; i < bytes_; ++i)
    if (memory_[i] != expected_[i])
      return fmt::format(
          "rank {}: byte {} of {} (output at {}, input at {}) is {:#x}, MPI has {:#x}", rank_, i,
          bytes_, output_at_, input_at_, unsigned(memory_[i]), unsigned(expected_[i]));
  return {};
}

}  // namespace differential
