// The binomial tree that broadcasts, gathers and scatters share.
//
// Positions v count from the root. v has the children v + 2^k below its lowest bit and speaks for
// the positions from v on that this bit spans. Threads: values.
#pragma once
#include <algorithm>

#include "algorithms/place.hpp"

namespace weft::algorithms {

class BinomialTree {
 public:
  explicit BinomialTree(const Place& place) : positions_(place.positions), root_(place.root) {}

  u32 v_of(u32 position) const { return (position + positions_ - root_) % positions_; }
  u32 position(u32 v) const { return (v + root_) % positions_; }
  u32 parent(u32 v) const { return position(v & (v - 1)); }
  u32 subtree(u32 v) const { return v ? std::min(v & (~v + 1), positions_ - v) : positions_; }
  u32 children(u32 v) const { return log2_ceil(subtree(v)); }

 private:
  u32 positions_, root_;
};

}  // namespace weft::algorithms
