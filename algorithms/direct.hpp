// Direct: every message goes straight from who has it to who wants it.
//
// Gather: all send to the root. Scatter: the root sends to all. All-to-all: each sends to each, all
// at once; sends start at the next position, so that not all start with the same one. One round at
// the byte bound, and g - 1 messages in flight at the busiest position. Nobody passes anything on,
// so nobody needs to know the size of a block that is not his: the uneven forms take this.
// All-to-all has 2 g chunks: q is what goes to position q, g + q what comes from it.
#pragma once
#include "algorithms/place.hpp"
#include "schedule/collective.hpp"

namespace weft::algorithms {

class Direct : public Lazy<Direct> {
 public:
  Direct(schedule::Kind kind, const Place& place) : Lazy(place), kind_(kind) {}

  u32 size(Lane role) const {
    const u32 others = place_.positions - 1;
    if (role == local) return copies() ? 1 : 0;
    if (kind_ == schedule::Kind::all_to_all) return others;
    const bool is_hub = role == (scatters() ? sending : receiving);
    return is_hub ? (is_root() ? others : 0) : (is_root() ? 0 : 1);
  }

  Step at(Role role, u32 i) const {
    const u32 g = place_.positions, me = place_.me;
    if (role == local)
      return place_.copy(algorithms::at(place_.out, me), algorithms::at(place_.in, me), 1,
                         place_.ready);
    const u32 next = (me + i + 1) % g;
    if (kind_ == schedule::Kind::all_to_all) {
      if (role == sending) return send(next, next, i);
      const u32 from = (me + g - i - 1) % g;
      return place_.recv(from, algorithms::at(place_.out, g + from), 1);
    }
    if (role == sending) return scatters() ? send(next, next, i) : send(place_.root, me, i);
    const u32 chunk = scatters() ? me : next;
    return place_.recv(scatters() ? place_.root : next, algorithms::at(place_.out, chunk), 1);
  }

  Done done() const {
    return {place_.after(receiving, size(receiving)), place_.after(local, size(local))};
  }

 private:
  bool scatters() const { return kind_ == schedule::Kind::scatter; }
  bool is_root() const { return place_.me == place_.root; }
  bool copies() const {
    if (kind_ == schedule::Kind::all_to_all) return place_.own;
    return is_root() && place_.in != place_.out;
  }
  // The first of a run of sends carries the wait.
  Step send(u32 peer, u32 chunk, u32 i) const {
    return place_.send(peer, algorithms::at(place_.in, chunk), 1, i ? Wait{} : place_.ready);
  }

  schedule::Kind kind_;
};

}  // namespace weft::algorithms
