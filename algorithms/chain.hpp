// Chain: each position hears from the one before it and passes on to the one after, the root first.
//
// Broadcast in g - 1 rounds, in which each sends every byte once, to one peer: the least a byte can
// cost. One slice takes g - 1 hops; slices follow one another along the chain, so with many of them
// the time is that of sending the vector once.
#pragma once
#include "algorithms/place.hpp"

namespace weft::algorithms {

class Chain : public Lazy<Chain> {
 public:
  explicit Chain(const Place& place)
      : Lazy(place), v_((place.me + place.positions - place.root) % place.positions) {}

  u32 size(Lane role) const {
    if (role == local) return copies() ? 1 : 0;
    return role == sending ? u32(v_ + 1 < place_.positions) : u32(v_ > 0);
  }

  Step at(Role role, u32) const {
    const u32 g = place_.positions, n = place_.chunks;
    const Span in = algorithms::at(place_.in, 0), out = algorithms::at(place_.out, 0);
    // In place, the copy writes what the send reads, so it comes after.
    if (role == local) return place_.copy(out, in, n, place_.after(sending, 1), place_.freed);
    if (role == receiving) return place_.recv((place_.me + g - 1) % g, out, n);
    return place_.send((place_.me + 1) % g, v_ ? out : in, n,
                       v_ ? place_.after(receiving, 1) : place_.ready);
  }

  Done done() const {
    if (v_) return {place_.after(receiving, 1), {}};
    return {copies() ? place_.after(local, 1) : place_.ready, {}};
  }

 private:
  bool copies() const { return !v_ && place_.in != place_.out; }

  u32 v_;  // counted from the root
};

}  // namespace weft::algorithms
