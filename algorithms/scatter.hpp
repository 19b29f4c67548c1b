// Scatter: the root hands each position its chunk. The first phase of a hierarchical broadcast: it
// puts every shard where its rail begins. Sends start after the root, as two-shot's do.
#pragma once
#include "algorithms/place.hpp"

namespace weft::algorithms {

class Scatter : public Lazy<Scatter> {
 public:
  using Lazy::Lazy;
  u32 size(Lane role) const {
    if (role == sending) return is_root() ? place_.positions - 1 : 0;
    return role == receiving && !is_root() ? 1 : 0;
  }
  Step at(Role role, u32 i) const {
    if (role == receiving)
      return place_.recv(place_.root, algorithms::at(place_.out, place_.me), 1);
    const u32 peer = (place_.me + i + 1) % place_.positions;
    return place_.send(peer, algorithms::at(place_.in, peer), 1);
  }
  Done done() const { return {place_.after(receiving, size(receiving)), {}}; }

 private:
  bool is_root() const { return place_.me == place_.root; }
};

}  // namespace weft::algorithms
