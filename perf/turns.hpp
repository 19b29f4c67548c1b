// Contenders take turns: short runs, and between any two of them a look at the distance of cores.
//
// Whatever drifts (clocks, neighbours, placement) then meets all of them alike. Every second round
// runs backwards, so that none always follows the same one. Threads: the caller's; on several
// processes all call it in step, with functions that give all of them the same distance.
#pragma once
#include <functional>

#include "perf/outcome.hpp"
#include "perf/points.hpp"

namespace weft::perf {

struct Turns {
  std::size_t contenders = 2;
  std::size_t rounds = 9;                    // points of each contender that one state must have
  std::size_t most_rounds = 90;              // then it ends with what there is
  std::function<Result<double>()> distance;  // ns, 0: not known
  std::function<Result<double>(std::size_t contender)> run;  // seconds of one call
};

Result<Points> take_turns(const Turns& turns);

}  // namespace weft::perf
