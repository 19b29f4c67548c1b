// Bruck: a block for the position d further on travels by the powers of two in d.
//
// All-to-all in ceil(log2 g) rounds for any number of positions: in round k each sends to the one
// 2^k further on all blocks whose distance has bit k. About g/2 blocks a round: for few bytes.
// After J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal and D. Weathersby, Efficient algorithms for
// all-to-all communications in multiport message-passing systems, 1997. Blocks are on the way in a
// plane, none of them ever in the place of another, so nothing is rotated: the chunks name the
// blocks themselves. Chunk 0 is what a position gives, chunk 1 what it gets, 2 + 2k what it sends
// in round k and 3 + 2k what it hears then.
#pragma once
#include "algorithms/place.hpp"

namespace weft::algorithms {

class Bruck : public Lazy<Bruck> {
 public:
  using Lazy::Lazy;

  u32 size(Lane role) const { return role == local ? 2 : rounds(place_.positions); }

  Step at(Role role, u32 k) const {
    const u32 g = place_.positions, me = place_.me;
    const auto chunk = [&](Buffer buffer, u32 c) { return algorithms::at(buffer, c); };
    if (role == sending)
      return place_.send((me + (1u << k)) % g, chunk(place_.plane, 2 + 2 * k), 1,
                         k ? place_.after(receiving, k) : place_.after(local, 1));
    if (role == receiving)
      return place_.recv((me + g - (1u << k)) % g, chunk(place_.plane, 3 + 2 * k), 1);
    if (k == 0) return place_.copy(chunk(place_.plane, 0), chunk(place_.in, 0), 1);
    return place_.copy(chunk(place_.out, 1), chunk(place_.plane, 1), 1,
                       place_.after(receiving, rounds(g)));
  }

  Done done() const { return {place_.after(local, 2), {}}; }

  static u32 rounds(u32 positions) { return log2_ceil(positions); }
  static u32 chunks(u32 positions) { return 2 + 2 * rounds(positions); }
  // Where a chunk begins in the list of blocks; cut(chunks) is its end.
  static u32 cut(u32 g, u32 chunk) {
    if (chunk < 2) return chunk * g;
    u32 blocks = 2 * g;
    for (u32 c = 2; c < chunk; ++c) blocks += with_bit(g, (c - 2) / 2);
    return blocks;
  }
  static Pair at(u32 g, u32 me, u32 i) {
    if (i < g) return {.to = i, .from = me};
    if (i < 2 * g) return {.to = me, .from = i - g};
    u32 chunk = 2;
    while (i >= cut(g, chunk + 1)) ++chunk;
    const u32 k = (chunk - 2) / 2, sender = chunk % 2 ? me + g - (1u << k) : me;
    const u32 d = nth_with_bit(i - cut(g, chunk), k), gone = d & ((1u << k) - 1);
    const u32 from = (sender + g - gone) % g;
    return {.to = (from + d) % g, .from = from};
  }

 private:
  // How many distances below g have bit k.
  static u32 with_bit(u32 g, u32 k) {
    const u32 period = 2u << k, half = 1u << k, rest = g % period;
    return g / period * half + (rest > half ? rest - half : 0);
  }
  // The n-th of them.
  static u32 nth_with_bit(u32 n, u32 k) {
    return ((n >> k) << (k + 1)) | (1u << k) | (n & ((1u << k) - 1));
  }
};

}  // namespace weft::algorithms
