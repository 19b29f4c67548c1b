// Chain: each position hears from the one before it and passes on to the one after.
//
// Broadcast begins at the root; reduce ends there, and each adds its own to the partial sum that
// goes by. In g - 1 rounds each sends every byte once, to one peer: the least a byte can cost. One
// slice takes g - 1 hops; slices follow one another along the chain, so with many of them the time
// is that of sending the vector once. The sum is made one operand at a time: not canonical.
#pragma once
#include "algorithms/place.hpp"
#include "schedule/collective.hpp"

namespace weft::algorithms {

class Chain : public Lazy<Chain> {
 public:
  Chain(schedule::Kind kind, const Place& place)
      : Lazy(place),
        reduces_(schedule::reduces(kind)),
        v_((place.me + place.positions - place.root) % place.positions) {}

  u32 size(Lane role) const {
    const u32 nearer = v_ ? 1 : 0, farther = v_ + 1 < place_.positions ? 1 : 0;
    if (role == local) return copies() ? 1 : 0;
    return (role == sending) == reduces_ ? nearer : farther;
  }

  Step at(Role role, u32) const {
    const u32 g = place_.positions, n = place_.chunks;
    const u32 nearer = (place_.me + g - 1) % g, farther = (place_.me + 1) % g;
    const Span in = algorithms::at(place_.in, 0), out = algorithms::at(place_.out, 0);
    // In place, the copy writes what the send reads, so it comes after.
    if (role == local) return place_.copy(out, in, n, place_.after(sending, 1), place_.freed);
    const Span sum = algorithms::at(v_ ? place_.work : place_.out, 0);
    if (role == receiving)
      return reduces_ ? place_.recv_reduce(farther, sum, in, n, place_.ready)
                      : place_.recv(nearer, out, n);
    const bool first = !size(receiving);
    return place_.send(reduces_ ? nearer : farther,
                       first      ? in
                       : reduces_ ? sum
                                  : out,
                       n, first ? place_.ready : place_.after(receiving, 1));
  }

  Done done() const {
    if (reduces_)
      return {place_.after(receiving, size(receiving)), place_.after(sending, size(sending))};
    if (v_) return {place_.after(receiving, 1), {}};
    return {copies() ? place_.after(local, 1) : place_.ready, {}};
  }

 private:
  bool copies() const { return !reduces_ && !v_ && place_.in != place_.out; }

  bool reduces_;
  u32 v_;  // counted from the root
};

}  // namespace weft::algorithms
