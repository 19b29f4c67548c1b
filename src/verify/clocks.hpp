// What must have happened before what: vector clocks over retired steps.
//
// The clock of a step holds, for each lane, how many of its steps have retired before this step may
// issue. A rank's own clocks come from its own edges only (lane order and waits), because an edge
// between ranks vanishes with an empty message; they cost O(lanes) a step and need no other rank,
// so a race proof is exact for any number of ranks. Threads: pure.
#pragma once
#include <vector>

#include "verify/progress.hpp"

namespace weft::verify {

struct Clocks {
  u32 width = 0;
  u32 first_task = 0, first_lane = 0;
  std::vector<u32> issue;  // task x width
  std::vector<u32> order;  // tasks in an order in which they may issue

  const u32* at_issue(u32 t) const { return &issue[std::size_t(t - first_task) * width]; }
  // Has `a` retired before `b` issues, in every run?
  bool before(const Layout& layout, u32 a, u32 b) const {
    return at_issue(b)[layout.task[a].lane - first_lane] > layout.task[a].index;
  }
};

// From one rank's own edges.
Result<Clocks> own_clocks(const Layout& layout, u32 rank);
// From all edges, messages included: what would hold if no message were ever empty. For comparison.
Clocks all_clocks(const Layout& layout, const Mates& mates, const History& history);

// Do both programs allow exactly the same executions? They must differ in their waits at most. Each
// step's conditions are its waits and its place on its lane; if the clocks are equal, a wait that
// only one of the programs has is implied by the others.
bool same_order(const schedule::Program& a, const schedule::Program& b);

}  // namespace weft::verify
