// Pairwise: in round k each position sends to the one k further on, once it has heard from the one
// of the round before.
//
// All-to-all in g - 1 rounds, one message in flight each way: where many at once would get into
// each other's way, as on one port of a switch. Chunks as in direct.hpp.
#pragma once
#include "algorithms/place.hpp"

namespace weft::algorithms {

class Pairwise : public Lazy<Pairwise> {
 public:
  using Lazy::Lazy;

  u32 size(Lane role) const { return role == local ? u32(place_.own) : place_.positions - 1; }

  Step at(Role role, u32 k) const {
    const u32 g = place_.positions, me = place_.me;
    const u32 to = (me + k + 1) % g, from = (me + g - k - 1) % g;
    if (role == sending)
      return place_.send(to, algorithms::at(place_.in, to), 1,
                         k ? place_.after(receiving, k) : place_.ready);
    if (role == receiving) return place_.recv(from, algorithms::at(place_.out, g + from), 1);
    return place_.copy(algorithms::at(place_.out, me), algorithms::at(place_.in, me), 1,
                       place_.ready);
  }

  Done done() const {
    return {place_.after(receiving, size(receiving)), place_.after(local, size(local))};
  }
};

}  // namespace weft::algorithms
