// Element types and operators, which go together, and the shapes of the kernels that work on them.
//
// Kernels live in intranode/host (and, for GPUs, intranode/cuda); the executor sees only the
// function types. Both enumerations have the numbers of the C API, which begins with NCCL's.
// Threads: values; kernels are pure functions.
#pragma once
#include <array>
#include <cstddef>

#include "base/types.hpp"

namespace weft {

enum class DataType : u8 {  // in the order of weft_datatype_t
  int8,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  float32,
  float64,
  bfloat16,
  float8_e4m3,
  float8_e5m2,
  boolean,  // one byte: 0 is false, anything else true; results are 0 or 1
  int16,
  uint16,
  // A value and where it was, laid out as C lays out struct { value; int32_t index; }: for minloc
  // and maxloc alone.
  float32_int32,
  float64_int32,
  int16_int32,
  int32_int32,
  int64_int32,
};

enum class Op : u8 {  // in the order of weft_op_t
  sum,
  prod,
  max,
  min,
  avg,
  band,
  bor,
  bxor,
  land,
  lor,
  lxor,
  minloc,
  maxloc,
};

// Every enumerator, in order.
template <class E, E last>
constexpr auto enumerate() {
  std::array<E, std::size_t(last) + 1> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = E(i);
  return all;
}
inline constexpr auto all_types = enumerate<DataType, DataType::int64_int32>();
inline constexpr auto all_ops = enumerate<Op, Op::maxloc>();

enum class Family : u8 { integer, boolean, floating, pair };
constexpr Family family_of(DataType type) {
  switch (type) {
    case DataType::float16:
    case DataType::float32:
    case DataType::float64:
    case DataType::bfloat16:
    case DataType::float8_e4m3:
    case DataType::float8_e5m2: return Family::floating;
    case DataType::boolean: return Family::boolean;
    case DataType::float32_int32:
    case DataType::float64_int32:
    case DataType::int16_int32:
    case DataType::int32_int32:
    case DataType::int64_int32: return Family::pair;
    default: return Family::integer;
  }
}

constexpr std::size_t bytes_of(DataType type) {
  switch (type) {
    case DataType::int8:
    case DataType::uint8:
    case DataType::float8_e4m3:
    case DataType::float8_e5m2:
    case DataType::boolean: return 1;
    case DataType::int16:
    case DataType::uint16:
    case DataType::float16:
    case DataType::bfloat16: return 2;
    case DataType::int32:
    case DataType::uint32:
    case DataType::float32: return 4;
    case DataType::int64:
    case DataType::uint64:
    case DataType::float64:
    case DataType::float32_int32:
    case DataType::int16_int32:
    case DataType::int32_int32: return 8;
    case DataType::float64_int32:
    case DataType::int64_int32: return 16;
  }
  return 0;
}
const char* name_of(DataType type);  // the names of nccl-tests: "int8", "half", "float", "bfloat16"
const char* name_of(Op op);          // "sum", "prod", ...

// Does this operator mean anything for this type? Numbers: sum, prod, max, min, avg; integers and
// booleans also band to lxor, booleans no avg; pairs minloc and maxloc alone.
constexpr bool supports(DataType type, Op op) {
  const bool arithmetic = op <= Op::avg, location = op >= Op::minloc;
  switch (family_of(type)) {
    case Family::integer: return !location;
    case Family::boolean: return !location && op != Op::avg;
    case Family::floating: return arithmetic;
    case Family::pair: return location;
  }
  return false;
}

// Do the bits of the result depend on how operands are grouped? Where not, any schedule may be
// taken.
constexpr bool depends_on_order(DataType type, Op op) {
  return family_of(type) == Family::floating && (op == Op::sum || op == Op::prod || op == Op::avg);
}

// Narrow floats, whose sums may be kept in float32 until one last rounding.
constexpr bool is_narrow(DataType type) {
  return family_of(type) == Family::floating && bytes_of(type) < 4;
}

// target[i] = the canonical tree over operands[0 .. operand_count) at i, lower operands on the
// left. operand_count >= 1. target may be one of the operands exactly, never overlap one shifted.
// Any alignment. `context` is what came with the function: of an operator of the user's.
using ReduceFunction = void (*)(std::byte* target, const std::byte* const* operands,
                                std::size_t operand_count, std::size_t elements,
                                const void* context);

struct Reduction {
  ReduceFunction function = nullptr;
  const void* context = nullptr;
  void operator()(std::byte* target, const std::byte* const* operands, std::size_t operand_count,
                  std::size_t elements) const {
    function(target, operands, operand_count, elements, context);
  }
};

// target[i] = f(source[i]); f and what `parameter` points to are the function's. target may be
// source exactly if their elements have one size, else they do not overlap. Any alignment.
using MapFunction = void (*)(std::byte* target, const std::byte* source, std::size_t elements,
                             const void* parameter);

}  // namespace weft
