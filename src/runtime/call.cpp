#include "runtime/call.hpp"

#include "runtime/operators.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace weft::runtime {
namespace {

// The bytes of a signature; padding is zeroed by the owner.
struct Signed {
  u64 count;  // uneven: a hash of the sizes, where all ranks know them
  u32 root, op;
  u8 kind, type, uneven;
};
static_assert(sizeof(Signed) <= channel::signature_bytes);

}  // namespace

bool reads(const Call& call, u32 rank) {
  switch (call.kind) {
    case schedule::Kind::broadcast:
    case schedule::Kind::scatter: return rank == call.root;
    default: return call.kind != schedule::Kind::barrier;
  }
}

bool writes(const Call& call, u32 rank) {
  switch (call.kind) {
    case schedule::Kind::reduce:
    case schedule::Kind::gather: return rank == call.root;
    case schedule::Kind::exscan: return rank > 0;
    default: return call.kind != schedule::Kind::barrier;
  }
}

Places places_of(schedule::Kind kind) {
  using schedule::Kind;
  const bool both = !schedule::has_blocks(kind) || kind == Kind::all_to_all;
  return {.whole_input = both || kind == Kind::reduce_scatter || kind == Kind::scatter,
          .whole_output = both || kind == Kind::all_gather || kind == Kind::gather};
}

u64 vector_elements(const Call& call, u32 ranks) {
  if (call.uneven) {
    const auto& counts = call.uneven->input.count;
    return std::accumulate(counts.begin(), counts.end(), u64{0});
  }
  return schedule::has_blocks(call.kind) ? call.count * ranks : call.count;
}

static u64 span_of(const schedule::Blocks& blocks) {
  u64 end = 0;
  for (std::size_t i = 0; i < blocks.count.size(); ++i)
    if (blocks.count[i]) end = std::max(end, blocks.at[i] + blocks.count[i]);
  return end;
}

u64 input_elements(const Call& call, u32 rank, u32 ranks) {
  const bool whole = places_of(call.kind).whole_input;
  if (call.uneven) return whole ? span_of(call.uneven->input) : call.uneven->input.count[rank];
  return whole && schedule::has_blocks(call.kind) ? call.count * ranks : call.count;
}

u64 output_elements(const Call& call, u32 rank, u32 ranks) {
  const bool whole = places_of(call.kind).whole_output;
  if (call.uneven) return whole ? span_of(call.uneven->output) : call.uneven->output.count[rank];
  return whole && schedule::has_blocks(call.kind) ? call.count * ranks : call.count;
}

// In place is one exact placement of each collective; any other overlap would be read after it was
// written.
static Status check_overlap(const Call& call, u32 rank, u32 ranks) {
  const u64 element = bytes_of(call.type);
  const auto input = reinterpret_cast<std::uintptr_t>(call.input);
  const auto output = reinterpret_cast<std::uintptr_t>(call.output);
  const u64 input_bytes = input_elements(call, rank, ranks) * element;
  const u64 output_bytes = output_elements(call, rank, ranks) * element;
  if (!input_bytes || !output_bytes || input + input_bytes <= output ||
      output + output_bytes <= input)
    return {};
  const Places places = places_of(call.kind);
  const auto own = [&](const schedule::Blocks* blocks) {
    return (blocks ? blocks->at[rank] : rank * call.count) * element;
  };
  const char* rule = "sendbuff == recvbuff";
  bool in_place = input == output;
  if (places.whole_input && !places.whole_output) {
    in_place = output == input + own(call.uneven ? &call.uneven->input : nullptr);
    rule = call.uneven ? "recvbuff == sendbuff + displs[rank] elements"
                       : "recvbuff == sendbuff + rank * recvcount elements";
  } else if (places.whole_output && !places.whole_input) {
    in_place = input == output + own(call.uneven ? &call.uneven->output : nullptr);
    rule = call.uneven ? "sendbuff == recvbuff + rdispls[rank] elements"
                       : "sendbuff == recvbuff + rank * sendcount elements";
  }
  if (in_place) return {};
  return fail(Code::invalid_argument,
              "{}: sendbuff and recvbuff overlap: in place is {}, and nothing else may overlap",
              schedule::name_of(call.kind), rule);
}

Status check(const Call& call, u32 rank, u32 ranks) {
  const char* const name = schedule::name_of(call.kind);
  u64 bytes = 0;
  if (__builtin_mul_overflow(call.count, u64{bytes_of(call.type)}, &bytes) ||
      __builtin_mul_overflow(bytes, u64{ranks}, &bytes) || bytes > u64{1} << 56)
    return fail(Code::invalid_argument,
                "{}: count {} of {} on {} ranks is more than any memory holds", name, call.count,
                name_of(call.type), ranks);
  if (call.root >= ranks)
    return fail(Code::invalid_argument, "{}: root {} is not one of the ranks 0 to {}", name,
                call.root, ranks - 1);
  if (schedule::is_scan(call.kind) && (call.op == u32(Op::avg) || call.op == Operators::avg_wide))
    return fail(Code::invalid_argument,
                "{}: avg means nothing here, where each rank has another number of operands: take "
                "the sum and divide by rank + 1 (exscan: by rank)",
                name);
  if (call.kind == schedule::Kind::barrier) return {};
  const u64 in = input_elements(call, rank, ranks), out = output_elements(call, rank, ranks);
  if (reads(call, rank) && in && !call.input)
    return fail(Code::invalid_argument, "{}: sendbuff is NULL but holds {} elements", name, in);
  if (writes(call, rank) && out && !call.output)
    return fail(Code::invalid_argument, "{}: recvbuff is NULL but holds {} elements", name, out);
  const bool both = reads(call, rank) && writes(call, rank);
  return both ? check_overlap(call, rank, ranks) : Status{};
}

u64 digest_of(const std::vector<u64>& sizes) {
  return XXH3_64bits(sizes.data(), sizes.size() * sizeof(u64)) | 1;
}

executor::Signature sign(const Call& call) {
  Signed bytes;
  std::memset(static_cast<void*>(&bytes), 0, sizeof bytes);
  bytes.kind = u8(call.kind);
  bytes.count = call.count;
  bytes.type = u8(call.type);
  bytes.op = schedule::reduces(call.kind) ? call.op : 0;
  bytes.root = call.root;
  bytes.uneven = call.uneven != nullptr;
  if (call.uneven) bytes.count = call.uneven->agreed;
  executor::Signature signature;
  std::memcpy(signature.bytes.data(), &bytes, sizeof bytes);
  signature.hash = u32(XXH3_64bits(&bytes, sizeof bytes));
  return signature;
}

std::string describe(const executor::Signature& signature) {
  Signed bytes;
  std::memcpy(static_cast<void*>(&bytes), signature.bytes.data(), sizeof bytes);
  const auto kind = schedule::Kind(bytes.kind);
  if (kind == schedule::Kind::barrier) return "barrier()";
  std::string text = fmt::format("{}(count {}, {}", schedule::name_of(kind), bytes.count,
                                 name_of(DataType(bytes.type)));
  if (bytes.uneven)
    text = fmt::format("{}v({}{}", schedule::name_of(kind),
                       bytes.count ? fmt::format("counts {:08x}, ", u32(bytes.count)) : "",
                       name_of(DataType(bytes.type)));
  if (schedule::reduces(kind)) text += fmt::format(", {}", Operators::describe(bytes.op));
  if (schedule::has_root(kind)) text += fmt::format(", root {}", bytes.root);
  return text + ")";
}

}  // namespace weft::runtime
