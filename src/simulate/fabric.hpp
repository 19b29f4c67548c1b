// What connects ranks, and the one place where a message becomes the use of resources.
//
// Today: inside a node every rank has one port each way to a switch that never blocks; between
// nodes a message takes the rail of its port, whose card is shared by all ranks of the node, and a
// plane of switches that never blocks. A topology with narrower middles replaces `route`.
// Lifetime: refers to its shape. Threads: immutable.
#pragma once
#include <vector>

#include "schedule/shape.hpp"
#include "simulate/machine.hpp"

namespace weft::simulate {

// A wire is one direction pair of a port: of a rank inside its node, or of a card.
struct Route {
  bool inter = false;
  u32 out = 0, in = 0;  // wires: the sender's and the receiver's
};

class Fabric {
 public:
  explicit Fabric(const schedule::Shape& shape) : shape_(&shape), node_(shape.ranks()) {
    u32 seat = 0;
    for (u32 node = 0; node < shape.nodes(); ++node)
      for (u32 i = 0; i < shape.size[node]; ++i) node_[shape.rank_at(seat++)] = node;
  }

  u32 ranks() const { return u32(node_.size()); }
  u32 node(u32 rank) const { return node_[rank]; }
  u32 wires() const { return ranks() + shape_->nodes() * shape_->rails; }

  // `rail` is that of the message's port; both ends agree on it.
  Route route(u32 from, u32 to, u32 rail) const {
    if (node_[from] == node_[to]) return {false, from, to};
    return {true, card(node_[from], rail), card(node_[to], rail)};
  }

 private:
  u32 card(u32 node, u32 rail) const { return ranks() + node * shape_->rails + rail; }

  const schedule::Shape* shape_;
  std::vector<u32> node_;  // rank -> node
};

}  // namespace weft::simulate
