// Recursive doubling: in round k each position exchanges all it has with the one at distance 2^k.
//
// log2 g rounds, the whole vector in each: for few bytes. Distances grow 1, 2, 4, lower position on
// the left, so every partial result is an aligned interval and the sum has the canonical tree. For
// 2^k positions. Partial results alternate between two planes: while one is being sent and added
// from, the next lands in the other.
#pragma once
#include "algorithms/place.hpp"

namespace weft::algorithms {

class RecursiveDoubling : public Lazy<RecursiveDoubling> {
 public:
  using Lazy::Lazy;
  u32 size(Lane role) const { return role == local ? u32(rounds() == 1) : rounds(); }

  Step at(Role role, u32 k) const {
    const u32 peer = place_.me ^ (1u << k), n = place_.chunks;
    const Span from = span(k ? plane(k - 1) : place_.in);
    if (role == sending) return place_.send(peer, from, n, place_.after(receiving, k));
    const bool last = k + 1 == rounds();
    if (!last || k > 0) {
      // From round 2 on the plane, and in the last round the input that out may be, has been sent.
      const Wait sent = last || k > 1 ? place_.after(sending, k) : Wait{};
      return place_.recv_reduce(peer, span(last ? place_.out : plane(k)), from, n, sent,
                                place_.after(receiving, k));
    }
    // Two positions: out may be in, which is still being sent, so land beside it and add after.
    const Span theirs = span(place_.plane);
    if (role == receiving) return place_.recv(peer, theirs, n);
    return place_.reduce(span(place_.out), peer < place_.me ? theirs : from,
                         peer < place_.me ? from : theirs, n, place_.after(sending, 1),
                         place_.after(receiving, 1));
  }

  Done done() const {
    return {rounds() == 1 ? place_.after(local, 1) : place_.after(receiving, rounds()), {}};
  }

 private:
  u32 rounds() const { return log2_floor(place_.positions); }
  Buffer plane(u32 k) const { return Buffer(place_.plane + k % 2); }
  static Span span(Buffer buffer) { return algorithms::at(buffer, 0); }
};

}  // namespace weft::algorithms
