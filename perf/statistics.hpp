// Summary of the times of single iterations, as -I prints it. Threads: pure functions.
#pragma once
#include <span>

namespace weft::perf {

struct IterationStatistics {
  double minimum = 0, maximum = 0, average = 0;
  double p50 = 0, p95 = 0, p99 = 0;  // p50: the upper median; the others by nearest rank
  double deviation = 0;              // of the population
  double variation_percent() const { return average > 0 ? deviation / average * 100 : 0; }
};

// Both require at least one time.
IterationStatistics statistics_of(std::span<const double> times);
// By nearest rank: the least of the times that at least `percent` of them do not exceed.
double percentile(std::span<const double> times, double percent);

}  // namespace weft::perf
