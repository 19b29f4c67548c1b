// Binomial tree for blocks, to or from any root: position v, counted from the root, speaks for the
// positions from v on that its lowest bit spans.
//
// Gather: what a subtree has goes up as one message. Scatter: it comes down as one, the farthest
// child first, since it has most to pass on. ceil(log2 g) rounds, n (g - 1) / g bytes at the root.
// Spans wrap round, so nothing is rotated.
#pragma once
#include "algorithms/binomial_tree.hpp"
#include "schedule/collective.hpp"

namespace weft::algorithms {

class BinomialBlocks : public Lazy<BinomialBlocks> {
 public:
  BinomialBlocks(schedule::Kind kind, const Place& place)
      : Lazy(place),
        gathers_(kind == schedule::Kind::gather),
        tree_(place),
        v_(tree_.v_of(place.me)),
        children_(tree_.children(v_)) {}

  u32 size(Lane role) const {
    if (role == local) return copies() ? 1 : 0;
    return role == (gathers_ ? receiving : sending) ? children_ : u32(v_ != 0);
  }

  Step at(Role role, u32 i) const {
    if (role == local)
      return place_.copy(own(gathers_ ? block_buffer() : place_.out),
                         own(gathers_ ? place_.in : block_buffer()), 1,
                         gathers_ ? place_.ready : arrived());
    if (gathers_) {
      if (role == receiving) return place_.recv(child(i), subtree(child_v(i)), width(child_v(i)));
      if (children_ == 0) return place_.send(parent(), own(place_.in), 1, place_.ready);
      Step s = place_.send(parent(), subtree(v_), width(v_), place_.after(receiving, children_));
      s.set_wait(1, place_.after(local, size(local)));
      return s;
    }
    if (role == receiving)
      return place_.recv(parent(), children_ ? subtree(v_) : own(place_.out), width(v_));
    const u32 k = children_ - 1 - i;
    return place_.send(child(k), subtree(child_v(k)), width(child_v(k)), i ? Wait{} : arrived());
  }

  Done done() const {
    return {place_.after(receiving, size(receiving)), place_.after(local, size(local))};
  }

 private:
  // Where the blocks of the subtree are: at the root in the caller's buffer.
  Buffer block_buffer() const {
    if (v_) return place_.work;
    return gathers_ ? place_.out : place_.in;
  }
  // The own block from or to where the others are: a leaf has no others.
  bool copies() const {
    const Buffer own = gathers_ ? place_.in : place_.out;
    return (v_ == 0 || children_) && own != block_buffer();
  }
  Wait arrived() const { return v_ ? place_.after(receiving, 1) : place_.ready; }
  u32 child_v(u32 k) const { return v_ + (1u << k); }
  u32 child(u32 k) const { return tree_.position(child_v(k)); }
  u32 parent() const { return tree_.parent(v_); }
  u32 width(u32 v) const { return tree_.subtree(v); }
  Span subtree(u32 v) const { return algorithms::at(block_buffer(), tree_.position(v)); }
  Span own(Buffer buffer) const { return algorithms::at(buffer, place_.me); }

  bool gathers_;
  BinomialTree tree_;
  u32 v_, children_;
};

}  // namespace weft::algorithms
