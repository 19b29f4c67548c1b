#include "runtime/call.hpp"

#include "runtime/operators.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

namespace weft::runtime {
namespace {

// The bytes of a signature; padding is zeroed by the owner.
struct Signed {
  u64 count;
  u32 root, op;
  u8 kind, type;
};
static_assert(sizeof(Signed) <= channel::signature_bytes);

}  // namespace

bool has_blocks(schedule::Kind kind) {
  return kind == schedule::Kind::reduce_scatter || kind == schedule::Kind::all_gather;
}

u64 vector_elements(const Call& call, u32 ranks) {
  return has_blocks(call.kind) ? call.count * ranks : call.count;
}

// In place is one exact placement of each collective; any other overlap would be read after it was
// written.
static Status check_overlap(const Call& call, u32 rank, u32 ranks) {
  const u64 block = call.count * bytes_of(call.type);
  const auto input = reinterpret_cast<std::uintptr_t>(call.input);
  const auto output = reinterpret_cast<std::uintptr_t>(call.output);
  const u64 input_bytes = call.kind == schedule::Kind::reduce_scatter ? block * ranks : block;
  const u64 output_bytes = call.kind == schedule::Kind::all_gather ? block * ranks : block;
  if (input + input_bytes <= output || output + output_bytes <= input) return {};
  const char* rule = "sendbuff == recvbuff";
  bool in_place = input == output;
  if (call.kind == schedule::Kind::reduce_scatter) {
    in_place = output == input + rank * block;
    rule = "recvbuff == sendbuff + rank * recvcount elements";
  } else if (call.kind == schedule::Kind::all_gather) {
    in_place = input == output + rank * block;
    rule = "sendbuff == recvbuff + rank * sendcount elements";
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
  if (call.count == 0 || call.kind == schedule::Kind::barrier) return {};
  const bool reads = call.kind != schedule::Kind::broadcast || rank == call.root;
  if (reads && !call.input)
    return fail(Code::invalid_argument, "{}: sendbuff is NULL but count is {}", name, call.count);
  if (!call.output)
    return fail(Code::invalid_argument, "{}: recvbuff is NULL but count is {}", name, call.count);
  return reads ? check_overlap(call, rank, ranks) : Status{};
}

executor::Signature sign(const Call& call) {
  Signed bytes;
  std::memset(static_cast<void*>(&bytes), 0, sizeof bytes);
  bytes.kind = u8(call.kind);
  bytes.count = call.count;
  bytes.type = u8(call.type);
  bytes.op = schedule::reduces(call.kind) ? call.op : 0;
  bytes.root = call.root;
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
  if (schedule::reduces(kind)) text += fmt::format(", {}", Operators::describe(bytes.op));
  if (kind == schedule::Kind::broadcast) text += fmt::format(", root {}", bytes.root);
  return text + ")";
}

}  // namespace weft::runtime
