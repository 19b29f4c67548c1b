#include "perf/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace weft::perf {

IterationStatistics statistics_of(std::span<const double> times) {
  std::vector<double> sorted(times.begin(), times.end());
  std::ranges::sort(sorted);
  const std::size_t n = sorted.size();
  const auto percentile = [&](std::size_t percent) {
    return sorted[std::min(n - 1, (n * percent + 99) / 100 - 1)];
  };
  IterationStatistics result;
  result.minimum = sorted.front();
  result.maximum = sorted.back();
  result.p50 = sorted[n / 2];
  result.p95 = percentile(95);
  result.p99 = percentile(99);
  result.average = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(n);
  double squares = 0;
  for (double time : sorted) squares += (time - result.average) * (time - result.average);
  result.deviation = std::sqrt(squares / static_cast<double>(n));
  return result;
}

}  // namespace weft::perf
