// Which schedule a call takes, and in slices of what size: a pure function of what all ranks know.
//
// Times are estimated in picoseconds with integers, so that all ranks of a job choose the same on
// any machine. Only schedules that keep the order of sums are candidates; others run when they are
// forced. Threads: any.
#pragma once
#include <string>

#include "algorithms/table.hpp"
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
  std::string forced;   // an algorithm's name, or empty
  u64 slice_bytes = 0;  // forced, or 0
};

struct Choice {
  std::string algorithm;
  u64 slice_bytes = 0;  // of the whole vector; 0: one slice
  std::string why;      // one line
};

Result<Choice> select(schedule::Kind kind, u64 vector_bytes, const World& world);

}  // namespace weft::runtime
