// Dissemination: in round k each position sends to the one 2^k further on, for any number of them.
//
// Barrier: after ceil(log2 g) rounds each has heard, directly or not, from all; the token is never
// empty, since an empty message orders nothing. All-gather (Bruck): the same rounds carry all
// blocks a position has, the last one only those that are missing; spans wrap round, so nothing is
// rotated.
#pragma once
#include <algorithm>

#include "algorithms/place.hpp"
#include "schedule/collective.hpp"

namespace weft::algorithms {

class Dissemination : public Lazy<Dissemination> {
 public:
  Dissemination(schedule::Kind kind, const Place& place)
      : Lazy(place), gathers_(kind == schedule::Kind::all_gather) {}

  u32 size(Lane role) const { return role == local ? u32(copies()) : rounds(); }

  Step at(Role role, u32 k) const {
    const u32 g = place_.positions, me = place_.me, distance = 1u << k;
    if (role == local)
      return place_.copy(algorithms::at(place_.out, me), algorithms::at(place_.in, me), 1);
    const u32 to = (me + distance) % g, from = (me + g - distance) % g;
    const Wait first = copies() ? place_.after(local, 1) : place_.ready;
    const Wait wait = k ? place_.after(receiving, k) : first;
    if (!gathers_) {  // a plane each: receives of one lane are not ordered among themselves
      if (role == sending) return place_.send(to, algorithms::at(place_.in, 0), 1, wait);
      return place_.recv(from, algorithms::at(Buffer(place_.plane + k), 0), 1);
    }
    const u32 blocks =
        std::min(distance, g - distance);  // the last `blocks` up to the sender's own
    if (role == sending)
      return place_.send(to, algorithms::at(place_.out, (me + g - blocks + 1) % g), blocks, wait);
    return place_.recv(from, algorithms::at(place_.out, (from + g - blocks + 1) % g), blocks);
  }

  Done done() const {
    return {place_.after(receiving, rounds()), place_.after(local, size(local))};
  }

 private:
  u32 rounds() const { return log2_ceil(place_.positions); }
  bool copies() const { return gathers_ && place_.in != place_.out; }

  bool gathers_;
};

}  // namespace weft::algorithms
