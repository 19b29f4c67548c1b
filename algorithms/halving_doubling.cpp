#include "algorithms/halving_doubling.hpp"

namespace weft::algorithms {

HalvingDoubling::HalvingDoubling(schedule::Kind kind, const Place& place)
    : Lazy(place),
      reduces_(kind != schedule::Kind::all_gather),
      gathers_(kind != schedule::Kind::reduce_scatter) {
  // Blocks are the one bits of g from the top; mine is the one that my position falls in.
  u32 left = place.positions;
  for (log2_ = log2_floor(left); place.me >= base_ + (1u << log2_); log2_ = log2_floor(left)) {
    base_ += 1u << log2_;
    left -= 1u << log2_;
    above_ = 1 + log2_;
  }
  left -= 1u << log2_;
  below_ = left ? 1 + log2_floor(left) : 0;
  j_ = place.me - base_;
}

u32 HalvingDoubling::size(Lane role) const {
  if (role == local) return copies() ? 1 : 0;
  return halvings() + ups() + u32(has_below()) + doublings();
}

Step HalvingDoubling::at(Role role, u32 i) const {
  if (role == local) return place_.copy(kept(place_.out, j_, log2_), kept(place_.in, j_, log2_), 1);
  if (i < halvings()) return halve(role, i);
  i -= halvings();
  const u32 between = ups() + u32(has_below());
  if (i >= between) return redouble(role, i - between);
  return role == sending ? send(i) : recv(i);
}

Span HalvingDoubling::kept(Buffer buffer, u32 position, u32 log2_block) const {
  return algorithms::at(buffer, position, log2_block);
}

Step HalvingDoubling::halve(Role role, u32 k) const {
  const u32 other = j_ ^ (1u << k), pair = 2u << k, n = place_.chunks / pair;
  const Buffer from = k ? place_.work : place_.in;
  const Buffer to = k + 1 == log2_ ? place_.out : place_.work;
  const Wait ready = place_.after(receiving, k);
  if (role == sending) return place_.send(base_ + other, kept(from, other % pair, k + 1), n, ready);
  return place_.recv_reduce(base_ + other, kept(to, j_ % pair, k + 1), kept(from, j_ % pair, k + 1),
                            n, ready);
}

Step HalvingDoubling::send(u32 i) const {
  if (i < ups()) {
    const u32 x = j_ + (i << log2_), above = above_ - 1;
    const Wait partial = place_.after(receiving, halvings() + u32(has_below()));
    return place_.send(base_ - (1u << above) + x, kept(mine(), x, above), place_.chunks >> above,
                       i ? Wait{} : partial);
  }
  const u32 below = base_ + (1u << log2_) + j_ % (1u << (below_ - 1));
  return place_.send(below, kept(place_.out, j_, log2_), place_.chunks >> log2_,
                     place_.after(receiving, halvings() + 1 + ups()));
}

Step HalvingDoubling::recv(u32 i) const {
  if (has_below() && i == 0) {
    const u32 below = base_ + (1u << log2_) + j_ % (1u << (below_ - 1));
    return place_.recv_reduce(below, kept(place_.out, j_, log2_), kept(mine(), j_, log2_),
                              place_.chunks >> log2_, place_.after(receiving, halvings()));
  }
  // Results overwrite the partials that went up, so the first waits for those; the rest inherit it.
  i -= u32(has_below());
  const u32 x = j_ + (i << log2_), above = above_ - 1;
  return place_.recv(base_ - (1u << above) + x, kept(place_.out, x, above), place_.chunks >> above,
                     i ? Wait{} : place_.after(sending, halvings() + ups()));
}

Step HalvingDoubling::redouble(Role role, u32 i) const {
  const u32 k = log2_ - 1 - i, other = j_ ^ (1u << k), pair = 2u << k, n = place_.chunks / pair;
  const u32 before = halvings() + ups() + u32(has_below()) + i;
  if (role == sending) {
    // The result sent down before has waited for the same, and sends issue in order.
    const bool inherits = reduces_ && i == 0 && has_below();
    const Wait ready = before ? place_.after(receiving, before) : first_wait();
    return place_.send(base_ + other, kept(place_.out, j_ % pair, k + 1), n,
                       inherits ? Wait{} : ready);
  }
  // The first overwrites what was sent while halving; below the largest block the results from
  // above have waited for that already, and later receives inherit the wait.
  const bool overwrites = reduces_ && i == 0 && !above_;
  return place_.recv(base_ + other, kept(place_.out, other % pair, k + 1), n,
                     overwrites ? place_.after(sending, halvings()) : Wait{});
}

}  // namespace weft::algorithms
