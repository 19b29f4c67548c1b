// The clock of a benchmark: what is inside a measurement and what is not, in one place.
//
// Threads: each thread times its own ranks; the threads of all processes start together.
#pragma once
#include <vector>

#include "perf/rank_set.hpp"
#include "perf/team.hpp"

namespace weft::perf {

// Seconds of one operation, as this thread saw them.
struct Timing {
  double wall = 0;
  double first = 0;                // of the call before the clock
  double cpu = 0;                  // of the calling thread
  std::vector<double> iterations;  // with -I, --details or --percentiles only
};

double monotonic_seconds();

// One operation before the clock, a barrier, then the timed ones. With -z 3 the barriers between
// iterations are not timed; with -z 1 they are. The clocks are read around all iterations at once
// where that will do: a thread's CPU time is a system call, dearer than a small operation.
Result<Timing> timed(RankSet& ranks, Team& team, const Options& options, const Case& test,
                     Place place);

}  // namespace weft::perf
