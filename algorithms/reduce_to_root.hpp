// Reduce in one or two shots: the root adds up what all send, or each adds up one chunk for it.
//
// One shot: one round, n (g - 1) bytes into the root. Two shots: n (g - 1) / g into each, and as
// much into the root: for many bytes. The fan adds by the canonical tree over positions whatever
// order messages arrive in.
#pragma once
#include "algorithms/place.hpp"

namespace weft::algorithms {

class OneShotReduce : public Lazy<OneShotReduce> {
 public:
  using Lazy::Lazy;
  u32 size(Lane role) const {
    if (role == local) return 0;
    return role == (is_root() ? receiving : sending) ? 1 : 0;
  }
  Step at(Role role, u32) const {
    const Span in = algorithms::at(place_.in, 0);
    if (role == sending) return place_.send(place_.root, in, place_.chunks, place_.ready);
    return place_.recv_reduce_fan(algorithms::at(place_.out, 0), in, place_.chunks);
  }
  Done done() const {
    return {place_.after(receiving, size(receiving)), place_.after(sending, size(sending))};
  }

 private:
  bool is_root() const { return place_.me == place_.root; }
};

class TwoShotReduce : public Lazy<TwoShotReduce> {
 public:
  using Lazy::Lazy;

  u32 size(Lane role) const {
    const u32 others = place_.positions - 1;
    if (role == sending) return others + u32(!is_root());
    return role == receiving ? 1 + (is_root() ? others : 0) : 0;
  }

  Step at(Role role, u32 i) const {
    const u32 me = place_.me, others = place_.positions - 1;
    const Span sum = algorithms::at(is_root() ? place_.out : place_.work, me);
    if (role == sending) {
      if (i < others) return place_.send(peer(i), algorithms::at(place_.in, peer(i)), 1);
      return place_.send(place_.root, sum, 1, place_.after(receiving, 1));
    }
    if (i == 0) return place_.recv_reduce_fan(sum, algorithms::at(place_.in, me), 1);
    // In place, what comes now was sent from there.
    return place_.recv(peer(i - 1), algorithms::at(place_.out, peer(i - 1)), 1,
                       place_.after(sending, i));
  }

  Done done() const {
    return {place_.after(receiving, size(receiving)), place_.after(sending, size(sending))};
  }

 private:
  bool is_root() const { return place_.me == place_.root; }
  u32 peer(u32 k) const { return (place_.me + k + 1) % place_.positions; }
};

}  // namespace weft::algorithms
