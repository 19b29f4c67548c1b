// Parallel aggregated trees (PAT): ceil(log2 g) rounds for any number of positions, in which few
// bytes go far.
//
// Counted downwards from its own, a position still works on every 2^k-th chunk before round k of
// the reduce-scatter; it gives the odd ones of these to the position 2^k below. So half of the
// chunks go to the neighbour and one goes half way round, where links are slow or shared: the
// opposite of halving by contiguous parts. All-gather is the same backwards, farthest first.
// Jeaugey (2025) bounds the memory of large calls by running the trees one after another; here
// slices do.
#pragma once
#include "algorithms/mirrored.hpp"

namespace weft::algorithms {

class Pat : public Mirrored<Pat> {
 public:
  using Mirrored::Mirrored;

 private:
  friend class Mirrored<Pat>;
  u32 rounds() const { return log2_ceil(place_.positions); }
  u32 own() const { return place_.me; }
  Exchange exchange(u32 k) const {
    const u32 g = place_.positions, me = place_.me, distance = 1u << k;
    const u32 count = (g + distance - 1) / (2 * distance);
    // Spans go upwards, so they begin at the chunk farthest below.
    const u32 keeps = (me + g - 2 * distance * (count - 1)) % g;
    return {.to = (me + g - distance) % g,
            .from = (me + distance) % g,
            .gives = (keeps + g - distance) % g,
            .keeps = keeps,
            .count = count,
            .stride = k + 1};
  }
  // The last of an odd number: even, so not given in round 0, and nobody gives to it.
  u32 unsummed_round() const {
    return place_.positions % 2 ? u32(__builtin_ctz(place_.positions - 1)) : 0;
  }
  u32 unsummed() const { return (place_.me + 1) % place_.positions; }
};

}  // namespace weft::algorithms
