// Ring: each position talks to its two neighbours only, one chunk at a time.
//
// Reduce-scatter: in round k a position sends chunk me - k - 1 on and adds its own part to chunk
// me - k - 2; chunk i ends at position i after going once round. All-gather: the same round with
// finished chunks. All-reduce is one after the other on the same lanes: 2 (g - 1) rounds, each byte
// sent twice less 2 / g, which is the least there is. The order of the sum depends on the chunk, so
// it is not canonical.
#pragma once
#include "algorithms/place.hpp"
#include "schedule/collective.hpp"

namespace weft::algorithms {

class Ring : public Lazy<Ring> {
 public:
  Ring(schedule::Kind kind, const Place& place)
      : Lazy(place),
        reduces_(kind != schedule::Kind::all_gather),
        gathers_(kind != schedule::Kind::reduce_scatter) {}

  u32 size(Lane role) const {
    if (role == local) return copies() ? 1 : 0;
    return (u32(reduces_) + u32(gathers_)) * (place_.positions - 1);
  }

  Step at(Role role, u32 i) const {
    const u32 g = place_.positions, me = place_.me;
    if (role == local) return place_.copy(span(place_.out, me), span(place_.in, me), 1);
    if (reduces_ && i < g - 1) return role == sending ? send_partial(i) : recv_partial(i);
    const u32 k = reduces_ ? i - (g - 1) : i;
    if (role == sending) {
      const Wait first = copies() ? place_.after(local, 1) : place_.ready;
      return place_.send(right(), span(place_.out, me + g - k), 1,
                         i ? place_.after(receiving, i) : first);
    }
    // What comes now was sent on in round k of the reduce-scatter, from a place that may be this.
    return place_.recv(left(), span(place_.out, me + 2 * g - k - 1), 1,
                       reduces_ ? place_.after(sending, k + 1) : Wait{});
  }

  Done done() const {
    return {place_.after(receiving, size(receiving)), place_.after(local, size(local))};
  }

 private:
  bool copies() const { return !reduces_ && place_.in != place_.out; }
  u32 right() const { return (place_.me + 1) % place_.positions; }
  u32 left() const { return (place_.me + place_.positions - 1) % place_.positions; }
  Span span(Buffer buffer, u32 chunk) const {
    return algorithms::at(buffer, chunk % place_.positions);
  }

  Step send_partial(u32 k) const {
    const u32 chunk = place_.me + 2 * place_.positions - k - 1;
    return place_.send(right(), span(k ? place_.work : place_.in, chunk), 1,
                       place_.after(receiving, k));
  }
  Step recv_partial(u32 k) const {
    const u32 chunk = (place_.me + 2 * place_.positions - k - 2) % place_.positions;
    Step s = place_.recv_reduce(left(), span(chunk == place_.me ? place_.out : place_.work, chunk),
                                span(place_.in, chunk), 1);
    s.source.right = true;  // what went round before stands on the left, position 0's too
    return s;
  }

  bool reduces_, gathers_;
};

}  // namespace weft::algorithms
