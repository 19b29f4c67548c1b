// Swing: halving and doubling between positions that swing to and fro, never far apart on a ring.
//
// In round k an even position exchanges with the one (1 - (-2)^(k + 1)) / 3 = 1, -1, 3, -5, 11, ...
// further on, an odd one with the one as far back: a third less far than by powers of two, which
// matters on rings and tori (De Sensi et al., 2024). Rounds and bytes are those of
// halving-doubling.
//
// Who is reached from round k on is no run of positions; so chunks are numbered by the way to their
// owner instead. Bit k of a position's number says whether the way from position 0, in rounds of
// ascending order, takes the exchange of round k. The two of an exchange then differ in bit k and
// agree below it, so what is given is every 2^(k + 1)-th chunk. For 2^k positions. Up to four the
// partners are those of halving-doubling or their mirror images, and the order is canonical.
#pragma once
#include "algorithms/mirrored.hpp"

namespace weft::algorithms {

class Swing : public Mirrored<Swing> {
 public:
  Swing(schedule::Kind kind, const Place& place) : Mirrored(kind, place) {
    u32 at = 0;
    for (u32 k = 0; k < rounds(); ++k)
      if (!reaches(at, k)) {
        number_ |= 1u << k;
        at = partner(at, k);
      }
  }

 private:
  friend class Mirrored<Swing>;
  u32 rounds() const { return log2_floor(place_.positions); }
  u32 own() const { return number_; }
  u32 unsummed_round() const { return 0; }
  u32 unsummed() const { return 0; }

  Exchange exchange(u32 k) const {
    const u32 other = partner(place_.me, k), pair = 2u << k;
    return {.to = other,
            .from = other,
            .gives = (number_ ^ (1u << k)) % pair,
            .keeps = number_ % pair,
            .count = place_.positions / pair,
            .stride = k + 1};
  }
  u32 partner(u32 position, u32 k) const {
    const i64 power = i64(2) << k, by = (k % 2 ? 1 - power : 1 + power) / 3;
    return u32(position + (position % 2 ? -by : by)) % place_.positions;  // of 2^k: wraps as u32
  }
  // Do rounds after k reach me from there? To and fro by (1 - (-2)^(j + 1)) / 3, j > k, they end no
  // distance away, or a third of one, modulo 2^(k + 2); and all that is so far away is reached.
  bool reaches(u32 from, u32 k) const {
    const u32 g = place_.positions, ahead = (place_.me + g - from) % g;
    const u32 away = from % 2 ? (g - ahead) % g : ahead;
    if (k + 1 == rounds()) return away == 0;
    return (3 * u64(away) - away % 2) % (u64(4) << k) == 0;
  }

  u32 number_ = 0;
};

}  // namespace weft::algorithms
