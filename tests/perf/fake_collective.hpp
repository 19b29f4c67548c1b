// What a collective of the fake library computes from the calls of all ranks.
//
// Threads: pure functions on the callers' buffers.
#pragma once
#include <weft/weft.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "model.hpp"

namespace weft::fake {

struct Operation {
  weft_collective_t kind = weft_collective_barrier;
  const void* send = nullptr;
  void* receive = nullptr;
  std::size_t count = 0;
  weft_datatype_t type = weft_uint8;
  weft_op_t op = weft_sum;
  int root = 0;
  std::optional<model::Value> scalar;  // of an operator made for the communicator

  // Of the uneven forms, instead of count. Blocks follow one another, but `one_block` goes to all.
  bool uneven = false, one_block = false;
  std::vector<std::size_t> sent;      // elements to each rank; empty: nothing goes out
  std::vector<std::size_t> received;  // of a reduction: elements of the result of each rank
};

using Operations = std::vector<Operation>;  // one a rank

// What rank `to` gets in an uneven form, block after block.
std::vector<char> uneven_results_of(const Operations& ops, std::size_t to);

// The bytes of all blocks in order, from which each rank takes a part.
std::vector<char> results_of(const Operations& ops);

}  // namespace weft::fake
