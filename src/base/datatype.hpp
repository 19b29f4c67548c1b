// Element types and operators, and the shape of a kernel that reduces.
//
// Kernels live in intranode/host (and, for GPUs, intranode/cuda); the executor sees only the
// function type. Threads: values; kernels are pure functions.
#pragma once
#include <cstddef>

#include "base/types.hpp"

namespace weft {

enum class DataType : u8 { uint8, int32, float32, float64 };  // in the order of weft_datatype_t
enum class Op : u8 { sum, min, max };                         // in the order of weft_op_t

inline constexpr DataType all_types[] = {DataType::uint8, DataType::int32, DataType::float32,
                                         DataType::float64};
inline constexpr Op all_ops[] = {Op::sum, Op::min, Op::max};

constexpr std::size_t bytes_of(DataType type) {
  switch (type) {
    case DataType::uint8: return 1;
    case DataType::int32:
    case DataType::float32: return 4;
    case DataType::float64: return 8;
  }
  return 0;
}
const char* name_of(
    DataType type);  // "float"-style names of nccl-tests: "uint8", "int32", "float", "double"
const char* name_of(Op op);  // "sum", "min", "max"

// target[i] = the canonical tree over operands[0 .. operand_count) at i, lower operands on the
// left. operand_count >= 1. target may be one of the operands exactly, never overlap one shifted.
// Any alignment.
using ReduceFunction = void (*)(std::byte* target, const std::byte* const* operands,
                                std::size_t operand_count, std::size_t elements);

}  // namespace weft
