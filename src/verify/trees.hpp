// Values as expressions: who has been added to whom, in which order.
//
// A value is the number of a tree, and equal trees have equal numbers (they are interned), so
// "every rank has the same bits" is a comparison of two numbers. A tree counts each contribution:
// two operands that share a rank do not combine. Threads: one thread.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "schedule/shape.hpp"

namespace weft::verify {

// C(a, b) = C(a, m) op C(m, b), m = a + the largest power of two below b - a. Requires a < b.
template <class Leaf, class Op>
auto canonical_tree(u32 a, u32 b, const Leaf& leaf, const Op& op) -> decltype(leaf(a)) {
  if (b - a == 1) return leaf(a);
  u32 half = 1;
  while (2 * half < b - a) half *= 2;
  const auto left = canonical_tree(a, a + half, leaf, op);
  return op(left, canonical_tree(a + half, b, leaf, op));
}

class Trees {
 public:
  using Tree = u32;
  static constexpr Tree nothing = 0;

  explicit Trees(u32 ranks);

  Tree leaf(u32 rank) const { return rank + 1; }
  // Nothing if a contribution would count twice. Requires two trees.
  Tree combine(Tree left, Tree right);

  bool complete(Tree tree, u32 ranks) const;  // do ranks 0 to ranks - 1 contribute, and no other?
  // Of these the ones that do not contribute; if there are none, others that do.
  std::vector<u32> odd(Tree tree, u32 ranks) const;
  std::vector<u32> shared(Tree left, Tree right) const;  // ranks that contribute to both
  std::string text(Tree tree) const;                     // "((0+1)+2)"; long ones are cut off

  Tree canonical(u32 ranks);  // of ranks 0 to ranks - 1; nothing for none
  // C over nodes of C within a node, seats in order.
  Tree of_shape(const schedule::Shape& shape);

 private:
  struct Node {
    Tree left, right;
  };
  std::span<const u64> set(Tree tree) const { return {&sets_[tree * words_], words_}; }
  void add(Node node);
  void grow();

  u32 ranks_;
  std::size_t words_;
  std::vector<Node> nodes_;
  std::vector<u64> sets_;     // tree -> the ranks in it
  std::vector<Tree> bucket_;  // open addressing over (left, right)
};

}  // namespace weft::verify
