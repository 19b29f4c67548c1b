// Scatter-all-gather: the root deals the vector out, then the parts go round a ring.
//
// Broadcast of many bytes (van de Geijn). Positions v count from the root. The scatter goes down a
// binomial tree: v hears the parts of its subtree, v to v + subtree - 1, and passes each child its
// own. In the ring v sends part v, then those it hears, and leaves out what the next has from the
// scatter: nothing comes to a position twice, and nothing to the root. ceil(log2 g) + g - 1 rounds;
// the root sends less than twice the vector, whatever g is.
#pragma once
#include "algorithms/binomial_tree.hpp"

namespace weft::algorithms {

class ScatterAllGather : public Lazy<ScatterAllGather> {
 public:
  explicit ScatterAllGather(const Place& place)
      : Lazy(place),
        tree_(place),
        v_(tree_.v_of(place.me)),
        subtree_(subtree(v_)),
        children_(tree_.children(v_)) {}

  u32 size(Lane role) const {
    const u32 g = place_.positions;
    if (role == local) return copies() ? 1 : 0;
    if (role == sending) return children_ + g - subtree((v_ + 1) % g);
    return v_ ? 1 + g - subtree_ : 0;
  }

  Step at(Role role, u32 i) const {
    if (role == local)
      return place_.copy(algorithms::at(place_.out, 0), algorithms::at(place_.in, 0), place_.chunks,
                         place_.after(sending, size(sending)),
                         place_.freed);  // in place, it writes what they read
    return role == sending ? send(i) : recv(i);
  }

  Done done() const {
    if (v_) return {place_.after(receiving, size(receiving)), {}};
    return {copies() ? place_.after(local, 1) : place_.ready, {}};
  }

 private:
  bool copies() const { return !v_ && place_.in != place_.out; }
  u32 position(u32 v) const { return tree_.position(v); }
  u32 subtree(u32 v) const { return tree_.subtree(v); }
  // Part v begins here; the level may have more chunks than positions.
  u32 cut(u32 v) const { return u32(u64(v) * place_.chunks / place_.positions); }
  u32 chunks(u32 v, u32 parts) const { return cut(v + parts) - cut(v); }

  Step send(u32 i) const {
    const u32 g = place_.positions;
    const Buffer from = v_ ? place_.out : place_.in;
    if (i < children_) {  // the farthest child first, since it has most to pass on
      const u32 child = v_ + (1u << (children_ - 1 - i));
      const Wait dealt = v_ ? place_.after(receiving, 1) : place_.ready;
      return place_.send(position(child), algorithms::at(from, cut(child)),
                         chunks(child, subtree(child)), i ? Wait{} : dealt);
    }
    // The k-th part is the k-th heard; those after the last heard are of the subtree. The own part
    // came with what the children have been sent.
    const u32 k = i - children_, part = (v_ + g - k) % g;
    const bool heard = v_ && k <= g - subtree_ && (k || !children_);
    return place_.send(position(v_ + 1), algorithms::at(from, cut(part)), chunks(part, 1),
                       heard ? place_.after(receiving, 1 + k) : Wait{});
  }

  Step recv(u32 i) const {
    if (i == 0)
      return place_.recv(tree_.parent(v_), algorithms::at(place_.out, cut(v_)),
                         chunks(v_, subtree_));
    const u32 part = (v_ + place_.positions - i) % place_.positions;
    return place_.recv(position(v_ - 1), algorithms::at(place_.out, cut(part)), chunks(part, 1));
  }

  BinomialTree tree_;
  u32 v_, subtree_, children_;
};

}  // namespace weft::algorithms
