// A user's binary operator as a kernel: the canonical tree over any number of operands.
//
// The function sees pointers that are aligned for the element, whatever the caller's buffers are,
// and ranges that fit the first-level cache. Threads: the one that drives; as safe as the function.
#pragma once
#include "base/datatype.hpp"
#include "weft/weft.h"

namespace weft::runtime {

using UserFunction = weft_op_function_t;

struct UserReduction {
  UserFunction function = nullptr;
  void* context = nullptr;
  DataType type = DataType::uint8;
};

// A ReduceFunction whose context is a UserReduction.
void reduce_by_user(std::byte* target, const std::byte* const* operands, std::size_t operand_count,
                    std::size_t elements, const void* context);

}  // namespace weft::runtime
