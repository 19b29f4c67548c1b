#include "algorithms/double_tree.hpp"

namespace weft::algorithms {

namespace {

u32 lowest_bit(u32 x) { return x & (~x + 1); }

}  // namespace

DoubleTree::DoubleTree(schedule::Kind kind, const Place& place)
    : Lazy(place), reduces_(schedule::reduces(kind)), node_{node(0), node(1)} {
  if (is_root()) return;
  if (node_[0].children) first_up_ = 1;
  if (node_[1].children) first_down_ = 1;
}

u32 DoubleTree::label(u32 tree, u32 v) const {
  const u32 q = place_.positions - 1;  // positions below the root, labelled 1 to q
  if (tree == 0 || v == 0) return v;
  return q % 2 == 0 ? q + 1 - v : v % q + 1;
}

u32 DoubleTree::position(u32 tree, u32 x) const {
  const u32 q = place_.positions - 1;
  u32 v = x;
  if (tree == 1 && x != 0) v = q % 2 == 0 ? q + 1 - x : (x == 1 ? q : x - 1);
  return (v + place_.root) % place_.positions;
}

DoubleTree::Node DoubleTree::node(u32 tree) const {
  const u32 g = place_.positions, q = g - 1;
  const u32 x = label(tree, (place_.me + g - place_.root) % g);
  Node n;
  if (x == 0) {
    n.child[n.children++] = position(tree, 1u << log2_floor(q));
    return n;
  }
  const u32 bit = lowest_bit(x), up = (x ^ bit) | (bit << 1);
  n.parent = position(tree, up <= q ? up : x ^ bit);
  if (bit == 1) return n;
  n.child[n.children++] = position(tree, x - bit / 2);
  u32 right =
      bit / 2;  // the right subtree may be cut off at q: its top is the highest that is left
  while (right && x + right > q) right /= 2;
  if (right) n.child[n.children++] = position(tree, x + right);
  return n;
}

u32 DoubleTree::size(Lane role) const {
  if (role == local) return copies() ? 1 : 0;
  if (role == receiving) return ups() + parents();
  return (reduces_ ? parents() : 0) + node_[0].children + node_[1].children;
}

Step DoubleTree::at(Role role, u32 i) const {
  if (role == local)
    return place_.copy(algorithms::at(place_.out, 0), algorithms::at(place_.in, 0), place_.chunks,
                       place_.after(sending, size(sending)),
                       place_.freed);  // in place, it writes what they read

  if (role == sending) {
    const u32 up = reduces_ ? parents() : 0;
    return i < up ? send_up(i) : send_down(i - up);
  }
  if (i < ups()) return recv_up(i);
  // The sums overwrite what was sent up; the second receive inherits the wait of the first.
  const u32 tree = first_down_ ^ (i - ups());
  return place_.recv(node_[tree].parent, half(place_.out, tree), chunks(tree),
                     reduces_ && i == ups() ? place_.after(sending, parents()) : Wait{});
}

Step DoubleTree::send_up(u32 i) const {
  const u32 tree = first_up_ ^ i, children = node_[tree].children;
  const u32 heard = (i ? node_[first_up_].children : 0) + children;
  return place_.send(node_[tree].parent, half(children ? place_.out : place_.in, tree),
                     chunks(tree), children ? place_.after(receiving, heard) : Wait{});
}

Step DoubleTree::recv_up(u32 i) const {
  const bool second = i >= node_[first_up_].children;
  const u32 tree = first_up_ ^ u32(second), k = second ? i - node_[first_up_].children : i;
  return place_.recv_reduce(node_[tree].child[k], half(place_.out, tree),
                            half(k ? place_.out : place_.in, tree), chunks(tree),
                            k ? place_.after(receiving, i) : Wait{});
}

Step DoubleTree::send_down(u32 i) const {
  // The root hears each tree's half from its children; any other from its parents, in order.
  const bool second = i >= node_[first_down_].children;
  const u32 tree = first_down_ ^ u32(second), k = second ? i - node_[first_down_].children : i;
  const bool from_input = is_root() && !reduces_;
  const u32 heard = is_root() ? tree + 1 : ups() + (second ? 2 : 1);
  const Wait wait = from_input ? place_.ready : place_.after(receiving, heard);
  // Sends issue in order, so what the one before waits for need not be said again.
  const bool inherits = from_input ? i > 0 : k > 0;
  return place_.send(node_[tree].child[k], half(from_input ? place_.in : place_.out, tree),
                     chunks(tree), inherits ? Wait{} : wait);
}

Done DoubleTree::done() const {
  if (size(receiving)) return {place_.after(receiving, size(receiving)), {}};
  return {copies() ? place_.after(local, 1) : place_.ready, {}};
}

}  // namespace weft::algorithms
