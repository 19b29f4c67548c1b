// One shot: each position sends its whole vector to all, and adds up what all sent.
//
// One round and g - 1 times the bytes: for a few bytes between peers that are close. The fan adds
// by the canonical tree whatever order messages arrive in. The sum is made in a plane, since out
// may be in, which others are still reading.
#pragma once
#include "algorithms/place.hpp"

namespace weft::algorithms {

class OneShot : public Lazy<OneShot> {
 public:
  using Lazy::Lazy;
  u32 size(Lane) const { return 1; }

  Step at(Role role, u32) const {
    const Span in = algorithms::at(place_.in, 0), sum = algorithms::at(place_.plane, 0);
    if (role == sending) return place_.send(0, in, place_.chunks, {}, place_.positions);
    if (role == receiving) return place_.recv_reduce_fan(sum, in, place_.chunks);
    return place_.copy(algorithms::at(place_.out, 0), sum, place_.chunks, place_.after(sending, 1),
                       place_.after(receiving, 1));
  }

  Done done() const { return {place_.after(local, 1), {}}; }
};

}  // namespace weft::algorithms
