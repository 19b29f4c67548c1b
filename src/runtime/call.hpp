// A collective call as the user makes it, checked, and what all ranks must agree on about it.
//
// Threads: values.
#pragma once
#include <memory>
#include <string>

#include "base/datatype.hpp"
#include "executor/operation.hpp"
#include "schedule/partition.hpp"

namespace weft::runtime {

// Sizes and places of the blocks of an uneven form, in elements, as far as this rank knows them.
struct Uneven {
  schedule::Blocks input, output;
  u64 agreed = 0;  // a digest of the sizes that all ranks give alike; 0: there are none
  bool operator==(const Uneven&) const = default;
};

struct Call {
  schedule::Kind kind = schedule::Kind::barrier;
  const void* input = nullptr;
  void* output = nullptr;
  u64 count = 0;  // elements of the vector, or of one block where it has blocks
  DataType type = DataType::uint8;
  u32 op = 0;  // as Operators numbers them
  u32 root = 0;
  std::shared_ptr<const Uneven> uneven = {};  // null: all blocks are of `count` elements

  bool operator==(const Call& other) const {
    return input == other.input && output == other.output && is_alike(other);
  }
  bool same_but_for_buffers(const Call& other) const {
    return is_staged() == other.is_staged() && is_alike(other);
  }
  // All-to-all in place reads an image of its input.
  bool is_staged() const { return kind == schedule::Kind::all_to_all && input == output && input; }

 private:
  bool is_alike(const Call& other) const {
    return kind == other.kind && count == other.count && type == other.type && op == other.op &&
           root == other.root && (uneven == other.uneven || has_equal_blocks(other));
  }
  bool has_equal_blocks(const Call& other) const {
    return uneven && other.uneven && *uneven == *other.uneven;
  }
};

u64 digest_of(const std::vector<u64>& sizes);  // never 0

// Does this rank give, does it get anything? Where not, its buffer may be anything.
bool reads(const Call& call, u32 rank);
bool writes(const Call& call, u32 rank);
// Is a buffer as large as the vector, or does it hold this rank's block of it alone? All-to-all has
// the one of its blocks to all, and the one of its blocks from all.
struct Places {
  bool whole_input, whole_output;
};
Places places_of(schedule::Kind kind);
// From the first element of a buffer to behind its last one, of this rank.
u64 input_elements(const Call& call, u32 rank, u32 ranks);
u64 output_elements(const Call& call, u32 rank, u32 ranks);
u64 vector_elements(const Call& call, u32 ranks);

// What must not be, said before anything is started.
Status check(const Call& call, u32 rank, u32 ranks);

executor::Signature sign(const Call& call);
std::string describe(const executor::Signature& signature);  // "all_reduce(count 10, float, sum)"

}  // namespace weft::runtime
