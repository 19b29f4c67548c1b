// Binomial tree to any root, in the canonical tree: in round k two neighbouring aligned intervals
// of 2^k positions become one.
//
// An interval is held by the root where the root is in it, else by its lowest position; who does
// not hold the larger one sends his and is done. ceil(log2 g) rounds, the whole vector in each.
#pragma once
#include <algorithm>

#include "algorithms/place.hpp"

namespace weft::algorithms {

class BinomialReduce : public Lazy<BinomialReduce> {
 public:
  explicit BinomialReduce(const Place& place) : Lazy(place) {
    const u32 g = place.positions, me = place.me;
    for (u32 k = 0; (1u << k) < g; ++k) {
      const u32 mine = me >> k << k, other = mine ^ (1u << k);
      if (other >= g) continue;
      if (me == holder(std::min(mine, other), k + 1)) {
        heard_ |= 1u << k;
        continue;
      }
      to_ = holder(other, k);
      sends_ = true;
      break;
    }
  }

  u32 size(Lane role) const {
    if (role == receiving) return u32(__builtin_popcount(heard_));
    return role == sending ? u32(sends_) : 0;
  }

  Step at(Role role, u32 i) const {
    const u32 n = place_.chunks;
    const Span partial = span(is_root() ? place_.out : place_.work);
    const Span mine = i || role == sending ? partial : span(place_.in);
    if (role == sending)
      return place_.send(to_, heard_ ? partial : span(place_.in), n,
                         heard_ ? place_.after(receiving, size(receiving)) : place_.ready);
    u32 left = heard_;
    for (u32 skip = i; skip; --skip) left &= left - 1;
    const u32 k = u32(__builtin_ctz(left));
    return place_.recv_reduce(holder((place_.me >> k << k) ^ (1u << k), k), partial, mine, n,
                              i ? place_.after(receiving, i) : place_.ready);
  }

  Done done() const {
    return {place_.after(receiving, size(receiving)), place_.after(sending, size(sending))};
  }

 private:
  bool is_root() const { return place_.me == place_.root; }
  // Of the interval of 2^k positions that begins at `first`.
  u32 holder(u32 first, u32 k) const {
    return place_.root >> k << k == first ? place_.root : first;
  }
  static Span span(Buffer buffer) { return algorithms::at(buffer, 0); }

  u32 heard_ = 0;  // the rounds in which a partial sum comes here, a bit each
  u32 to_ = 0;
  bool sends_ = false;
};

}  // namespace weft::algorithms
