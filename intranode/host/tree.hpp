// The canonical tree over any number of operands, built from kernels for a few.
//
// A kernel combines 2, perhaps 3, 4 or 8 operands in registers, straight from memory to memory.
// Other numbers are cut into such groups: partial results of one tile at a time wait in the
// first-level cache, so that main memory still sees each operand read once and the target written
// once. Nothing here depends on the instruction set or the type, so it is compiled once. Threads:
// pure functions.
#pragma once
#include "base/types.hpp"

namespace weft::host {

// target = the tree over the kernel's number of operands, all read from `offset` on, for `bytes`
// bytes, whole elements. The target may be where an operand is read, never overlap it shifted.
using GroupFunction = void (*)(std::byte* target, const std::byte* const* operands,
                               std::size_t offset, std::size_t bytes);

// nullptr: no kernel for that number, the tree is cut smaller. There is always one for two.
struct Groups {
  GroupFunction two = nullptr, three = nullptr, four = nullptr, eight = nullptr;
};

// target = the canonical tree over operands[0 .. count), count >= 1, of `bytes` bytes each, whole
// elements of `element_bytes`. The target may be one of the operands exactly.
void reduce_by_groups(const Groups& groups, std::size_t element_bytes, std::byte* target,
                      const std::byte* const* operands, std::size_t count, std::size_t bytes);

}  // namespace weft::host
