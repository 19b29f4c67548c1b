// Two shot: whoever owns a chunk gets it from all and adds it up, then sends the sum to all.
//
// Two rounds at the byte bound, with g - 1 messages in flight each way: for peers that all reach
// one another at full speed, as in a node. Reduce-scatter is the first shot alone, all-gather the
// second. Sends start at the next position, so that not all start with the same one; the fan adds
// by the canonical tree over positions whatever order they arrive in.
#pragma once
#include "algorithms/place.hpp"
#include "schedule/collective.hpp"

namespace weft::algorithms {

class TwoShot : public Lazy<TwoShot> {
 public:
  TwoShot(schedule::Kind kind, const Place& place)
      : Lazy(place),
        reduces_(kind != schedule::Kind::all_gather),
        gathers_(kind != schedule::Kind::reduce_scatter) {}

  u32 size(Lane role) const {
    const u32 others = place_.positions - 1;
    if (role == sending) return (reduces_ ? others : 0) + u32(gathers_);
    if (role == receiving) return u32(reduces_) + (gathers_ ? others : 0);
    return copies() ? 1 : 0;
  }

  Step at(Role role, u32 i) const {
    const u32 g = place_.positions, me = place_.me;
    const Span mine = algorithms::at(place_.in, me), sum = algorithms::at(place_.out, me);
    if (role == local) return place_.copy(sum, mine, 1);
    if (role == sending) {
      if (reduces_ && i < g - 1) return place_.send(peer(i), algorithms::at(place_.in, peer(i)), 1);
      const Wait gathered = copies() ? place_.after(local, 1) : place_.ready;
      return place_.send(0, sum, 1, reduces_ ? place_.after(receiving, 1) : gathered, g);
    }
    if (reduces_ && i == 0) return place_.recv_reduce_fan(sum, mine, 1);
    // What comes now was sent in the first shot, from a place that may be this.
    const u32 k = i - u32(reduces_);
    return place_.recv(peer(k), algorithms::at(place_.out, peer(k)), 1,
                       reduces_ ? place_.after(sending, k + 1) : Wait{});
  }

  Done done() const {
    return {place_.after(receiving, size(receiving)), place_.after(local, size(local))};
  }

 private:
  bool copies() const { return !reduces_ && place_.in != place_.out; }
  u32 peer(u32 k) const { return (place_.me + k + 1) % place_.positions; }

  bool reduces_, gathers_;
};

}  // namespace weft::algorithms
