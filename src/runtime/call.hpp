// A collective call as the user makes it, checked, and what all ranks must agree on about it.
//
// Threads: values.
#pragma once
#include <string>

#include "base/datatype.hpp"
#include "executor/operation.hpp"
#include "schedule/collective.hpp"

namespace weft::runtime {

struct Call {
  schedule::Kind kind = schedule::Kind::barrier;
  const void* input = nullptr;
  void* output = nullptr;
  u64 count = 0;  // elements of the vector, or of one block
  DataType type = DataType::uint8;
  u32 op = 0;  // as Operators numbers them
  u32 root = 0;
  bool operator==(const Call&) const = default;
};

// In reduce-scatter and all-gather `count` is that of a block, one block a rank.
bool has_blocks(schedule::Kind kind);
u64 vector_elements(const Call& call, u32 ranks);

// What must not be, said before anything is started.
Status check(const Call& call, u32 rank, u32 ranks);

executor::Signature sign(const Call& call);
std::string describe(const executor::Signature& signature);  // "all_reduce(count 10, float, sum)"

}  // namespace weft::runtime
