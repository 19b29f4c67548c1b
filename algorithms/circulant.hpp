// Circulant: reduce-scatter and all-gather in ceil(log2 g) rounds for any number of positions.
//
// Reduce-scatter (Traeff, 2024): counted from its own, a position still works on the first
// ceil(g / 2^k) chunks before round k. It gives the farther half, rounded down, to the position as
// many further on as it keeps, and the byte bound n (g - 1) / g is met with nothing folded. Spans
// wrap round, so nothing is rotated either. All-gather is the same backwards. Every sum begins at
// its own position and goes round from there: not canonical.
#pragma once
#include "algorithms/mirrored.hpp"

namespace weft::algorithms {

class Circulant : public Mirrored<Circulant> {
 public:
  using Mirrored::Mirrored;

 private:
  friend class Mirrored<Circulant>;
  u32 rounds() const { return log2_ceil(place_.positions); }
  u32 own() const { return place_.me; }
  Exchange exchange(u32 k) const {
    const u32 g = place_.positions, me = place_.me, kept = left(k + 1), next = (me + kept) % g;
    return {.to = next,
            .from = (me + g - kept) % g,
            .gives = next,
            .keeps = me,
            .count = left(k) - kept};
  }
  // The middle one of an odd number: kept in round 0, and nobody gives to it.
  u32 unsummed_round() const { return place_.positions % 2; }
  u32 unsummed() const { return (place_.me + place_.positions / 2) % place_.positions; }
  // Chunks still worked on before round k.
  u32 left(u32 k) const { return u32((u64(place_.positions) + (u64(1) << k) - 1) >> k); }
};

}  // namespace weft::algorithms
