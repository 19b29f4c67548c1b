// Binomial tree: position v (counted from the root) has the children v + 2^k below its lowest bit.
//
// Broadcast, from any root: ceil(log2 g) rounds, the farthest child first, since it has most to
// pass on. All-reduce: partial results go up to position 0, nearest child first, and the sum comes
// down. Each partial is an aligned interval with the lower half on the left, so the sum has the
// canonical tree for any number of positions.
#pragma once
#include "algorithms/binomial_tree.hpp"
#include "schedule/collective.hpp"

namespace weft::algorithms {

class Binomial : public Lazy<Binomial> {
 public:
  Binomial(schedule::Kind kind, const Place& place)
      : Lazy(place),
        reduces_(schedule::reduces(kind)),
        tree_(place),
        v_(tree_.v_of(place.me)),
        children_(tree_.children(v_)) {}

  u32 size(Lane role) const {
    if (role == local) return copies() ? 1 : 0;
    const u32 parents = v_ ? 1 : 0, up = role == sending ? parents : children_;
    const u32 down = role == sending ? children_ : parents;
    return (reduces_ ? up : 0) + down;
  }

  Step at(Role role, u32 i) const {
    const u32 n = place_.chunks, up = reduces_ ? children_ : 0;
    const Span in = span(place_.in), out = span(place_.out);
    if (role == local) return place_.copy(out, in, n, after_sends(), place_.freed);
    if (role == receiving) {
      if (i < up) return place_.recv_reduce(child(i), out, i ? out : in, n, after_recv(i));
      return place_.recv(parent(), out, n, reduces_ ? place_.after(sending, 1) : Wait{});
    }
    if (reduces_ && v_ && i == 0) return place_.send(parent(), up ? out : in, n, after_recv(up));
    // Later sends issue after the first, so they inherit its wait.
    const u32 nth = i - u32(reduces_ && v_), k = children_ - 1 - nth;
    const bool from_input = !v_ && !reduces_;
    const Wait wait = from_input ? place_.ready : after_recv(size(receiving));
    return place_.send(child(k), from_input ? in : out, n, nth ? Wait{} : wait);
  }

  Done done() const {
    if (size(receiving)) return {after_recv(size(receiving)), {}};
    return {copies() ? place_.after(local, 1) : place_.ready, {}};
  }

 private:
  bool copies() const { return !reduces_ && !v_ && place_.in != place_.out; }
  u32 child(u32 k) const { return tree_.position(v_ + (1u << k)); }
  u32 parent() const { return tree_.parent(v_); }
  Wait after_recv(u32 steps) const { return place_.after(receiving, steps); }
  // In place, the root's copy writes what its sends read, so it comes after them.
  Wait after_sends() const { return place_.after(sending, size(sending)); }
  static Span span(Buffer buffer) { return algorithms::at(buffer, 0); }

  bool reduces_;
  BinomialTree tree_;
  u32 v_, children_;
};

}  // namespace weft::algorithms
