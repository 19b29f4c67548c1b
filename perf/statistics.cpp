#include "perf/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace weft::perf {

namespace {

double nearest_rank(std::span<const double> sorted, double percent) {
  const auto n = static_cast<double>(sorted.size());
  const double rank = std::ceil(n * percent / 100 - 1e-9);  // 95 % of 20 is 19, rounded or not
  return sorted[static_cast<std::size_t>(std::clamp(rank, 1.0, n)) - 1];
}

}  // namespace

double percentile(std::span<const double> times, double percent) {
  std::vector<double> sorted(times.begin(), times.end());
  std::ranges::sort(sorted);
  return nearest_rank(sorted, percent);
}

IterationStatistics statistics_of(std::span<const double> times) {
  std::vector<double> sorted(times.begin(), times.end());
  std::ranges::sort(sorted);
  const std::size_t n = sorted.size();
  IterationStatistics result;
  result.minimum = sorted.front();
  result.maximum = sorted.back();
  result.p50 = sorted[n / 2];
  result.p95 = nearest_rank(sorted, 95);
  result.p99 = nearest_rank(sorted, 99);
  result.average = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(n);
  double squares = 0;
  for (double time : sorted) squares += (time - result.average) * (time - result.average);
  result.deviation = std::sqrt(squares / static_cast<double>(n));
  return result;
}

}  // namespace weft::perf
