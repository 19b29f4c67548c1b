// Which schedule a call takes, and in slices of what size: a pure function of what all ranks know.
//
// Times are estimated in picoseconds with integers, so that all ranks of a job choose the same on
// any machine. Only schedules whose order gives the bits that the communicator promises are
// candidates. Threads: any.
#pragma once
#include <string>

#include "algorithms/table.hpp"
#include "runtime/operators.hpp"
#include "schedule/shape.hpp"

namespace weft::runtime {

// What one message costs between two ranks: a start and a rate. Rough, of the kind of link.
struct Link {
  u64 start_ns = 1000;
  u64 ps_per_byte = 200;
};

struct World {
  schedule::Shape shape;
  Link in_node, between_nodes;
  std::string forced;                                  // an algorithm's name, or empty
  schedule::Order order = schedule::Order::canonical;  // that float sums keep
  u64 slice_bytes = 0;                                 // forced, or 0
};

struct Choice {
  std::string algorithm;
  u64 slice_bytes = 0;  // of the whole vector; 0: one slice
  std::string why;      // one line
};

// `need` is what the call asks of the order of operands; nothing for a kind that does not reduce.
Result<Choice> select(schedule::Kind kind, u64 vector_bytes, Need need, const World& world);

// The order that float sums keep on this communicator. `asked`: auto, canonical, shape or fast;
// auto is canonical where hierarchical schedules have it, else shape; a forced algorithm has the
// order it has, and it is an error to ask for more.
Result<schedule::Order> settle_order(const std::string& asked, const World& world);

}  // namespace weft::runtime
