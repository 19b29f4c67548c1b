// One position: nobody to talk to, so the result is the input. Every algorithm becomes this for 1.
#pragma once
#include "algorithms/place.hpp"

namespace weft::algorithms {

class Alone : public Lazy<Alone> {
 public:
  using Lazy::Lazy;
  u32 size(Lane role) const { return role == local && place_.in != place_.out ? 1 : 0; }
  Step at(Role, u32) const {
    return place_.copy(algorithms::at(place_.out, 0), algorithms::at(place_.in, 0), place_.chunks,
                       place_.ready, place_.freed);
  }
  Done done() const { return {size(local) ? place_.after(local, 1) : place_.ready, {}}; }
};

}  // namespace weft::algorithms
