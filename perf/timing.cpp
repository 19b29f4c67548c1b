#include "perf/timing.hpp"

#include <time.h>

namespace weft::perf {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Moment {
  double wall = seconds_of(CLOCK_MONOTONIC);
  double cpu = seconds_of(CLOCK_THREAD_CPUTIME_ID);
};

// The operations of one iteration. Waiting after each, with or without a barrier, leaves no group.
Status iteration(RankSet& ranks, Team& team, const Options& options, const Case& test, Place place,
                 std::size_t number) {
  const std::size_t first = number * options.aggregated;
  if (options.blocking != 1 && options.blocking != 2)
    return ranks.call(test, place, first, options.aggregated);
  for (int i = 0; i < options.aggregated; ++i) {
    PERF_TRY(ranks.call(test, place, first + i, 1));
    if (options.blocking == 1) PERF_TRY(team.barrier());
  }
  return {};
}

}  // namespace

double monotonic_seconds() { return seconds_of(CLOCK_MONOTONIC); }

Result<Timing> timed(RankSet& ranks, Team& team, const Options& options, const Case& test,
                     Place place) {
  Timing timing;
  const double begun = monotonic_seconds();
  PERF_TRY(ranks.call(test, place, 0, 1));
  timing.first = monotonic_seconds() - begun;
  PERF_TRY(team.barrier());

  const bool stops_between = options.blocking == 3;
  const bool each = options.per_iteration || options.details || !options.percentiles.empty();
  if (each) timing.iterations.reserve(options.iterations);
  Moment start;
  double before = start.wall;
  for (int i = 0; i < options.iterations; ++i) {
    PERF_TRY(iteration(ranks, team, options, test, place, i));
    if (each) {
      const double after = monotonic_seconds();
      timing.iterations.push_back((after - before) / options.aggregated);
      before = after;
    }
    if (!stops_between && i + 1 < options.iterations) continue;
    const Moment end;
    timing.wall += end.wall - start.wall;
    timing.cpu += end.cpu - start.cpu;
    if (!stops_between) continue;
    PERF_TRY(team.barrier());
    start = Moment();
    before = start.wall;
  }
  const double operations = static_cast<double>(options.iterations) * options.aggregated;
  timing.wall /= operations;
  timing.cpu /= operations;
  return timing;
}

}  // namespace weft::perf
