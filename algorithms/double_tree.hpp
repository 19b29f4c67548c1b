// Double binary tree: two trees over the same positions, each carrying half of the vector.
//
// A position is an inner node of at most one of them and a leaf of the other, so it sends and
// receives each byte about twice: the bytes of a ring with 2 log2 g rounds, once slices keep the
// trees full (Sanders, Speck and Traeff, 2009). The first tree has position v at the height of its
// lowest one bit; the second is the first one mirrored, or shifted where mirroring keeps parity.
// The root stands outside, above both tops. Halves go up tree 0 or 1 (all-reduce) and come down the
// same one. The order of the sum is that of the tree: not canonical.
//
// Lane order: up the tree where I am a leaf before the one where I wait for children; down in the
// reverse order. So nothing that others wait for stands behind a wait, and both ends of a channel
// list the messages of the two trees alike.
#pragma once
#include "algorithms/place.hpp"
#include "schedule/collective.hpp"

namespace weft::algorithms {

class DoubleTree : public Lazy<DoubleTree> {
 public:
  DoubleTree(schedule::Kind kind, const Place& place);
  u32 size(Lane role) const;
  Step at(Role role, u32 i) const;
  Done done() const;

 private:
  struct Node {
    u32 parent = 0, child[2] = {0, 0};  // positions; the root has no parent
    u32 children = 0;
  };
  Node node(u32 tree) const;
  u32 label(u32 tree, u32 v) const;     // my number in a tree, 0 for the root
  u32 position(u32 tree, u32 x) const;  // the inverse
  bool is_root() const { return place_.me == place_.root; }
  bool copies() const { return !reduces_ && is_root() && place_.in != place_.out; }
  u32 ups() const { return reduces_ ? node_[0].children + node_[1].children : 0; }
  u32 parents() const { return is_root() ? 0 : 2; }
  // What a tree carries; next to an algorithm that wants more the level has more than two chunks.
  Span half(Buffer buffer, u32 tree) const {
    return algorithms::at(buffer, tree ? place_.chunks / 2 : 0);
  }
  u32 chunks(u32 tree) const { return (place_.chunks + tree) / 2; }
  Step send_up(u32 i) const;
  Step send_down(u32 i) const;
  Step recv_up(u32 i) const;

  bool reduces_;
  Node node_[2];
  u32 first_up_ = 0, first_down_ = 0;  // the tree whose steps come first
};

}  // namespace weft::algorithms
