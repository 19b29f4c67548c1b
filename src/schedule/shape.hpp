// The shape of a job: how many ranks each node has, and which.
//
// Threads: immutable values, shared by all generators of a communicator.
#pragma once
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace weft::schedule {

struct Shape {
  std::vector<u32> size;  // ranks of each node, none of them 0
  std::vector<u32>
      order;      // seat base(n) + i -> rank; empty: seats are ranks (consecutive per node)
  u32 rails = 1;  // common to all nodes

  u32 nodes() const { return u32(size.size()); }
  u32 ranks() const;
  u32 base(u32 node) const;  // first seat of a node
  u32 rank_at(u32 seat) const { return order.empty() ? seat : order[seat]; }
  u32 seat_of(u32 rank) const;
  u32 node_of_seat(u32 seat) const;
  bool operator==(const Shape&) const = default;

  static Shape flat(u32 ranks) { return {.size = {ranks}}; }
  // "4" one node of 4; "2x4" two nodes of 4; "1+7" explicit; "2x4+3" both. Errors say what was
  // expected.
  static Result<Shape> parse(const std::string& text);
  std::string text() const;  // "2x4+3"
};

}  // namespace weft::schedule
