// The binomial tree over positions: the parent of k is k without its lowest set bit.
//
// Position 0 has ceil(log2 n) children, every other fewer, half of all none; the depth is
// ceil(log2 n) too. A parent's position is below its child's, so when positions are dealt out in
// the order of arrival, a parent is always there before its child. Threads: pure functions.
#pragma once
#include "base/types.hpp"

namespace weft::bootstrap {

constexpr u32 parent_of(u32 position) { return position & (position - 1); }

constexpr u32 children_of(u32 position, u32 positions) {
  u32 count = 0;
  for (u64 bit = 1; position + bit < positions && (position & bit) == 0; bit <<= 1) ++count;
  return count;
}

}  // namespace weft::bootstrap
