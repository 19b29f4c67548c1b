#include "perf/sizes.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "perf/statistics.hpp"

namespace weft::perf {
namespace {

std::vector<std::size_t> walk(const SizeRange& range, std::size_t element_bytes = 4) {
  std::vector<std::size_t> sizes;
  for (std::optional<std::size_t> size = range.minimum; size;
       size = next_size(range, *size, element_bytes))
    sizes.push_back(*size);
  return sizes;
}

TEST(Sizes, SuffixesAreBinaryAndLenient) {
  EXPECT_EQ(parse_size("8"), 8u);
  EXPECT_EQ(parse_size("0"), 0u);
  EXPECT_EQ(parse_size("1.5k"), 1536u);
  EXPECT_EQ(parse_size("64MB"), std::size_t{64} << 20);
  EXPECT_EQ(parse_size("8 G"), std::size_t{8} << 30);
  EXPECT_EQ(parse_size("1e3"), 1000u);
  for (const char* text : {"", "x", "-1", "8T", "1e30", "nan"})
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
}

TEST(Sizes, AFactorMultipliesAStepAdds) {
  EXPECT_EQ(walk({.minimum = 8, .maximum = 100, .step = 1, .factor = 3}),
            (std::vector<std::size_t>{8, 24, 72}));
  EXPECT_EQ(walk({.minimum = 8, .maximum = 20, .step = 6, .factor = 1}),
            (std::vector<std::size_t>{8, 14, 20}));
  EXPECT_EQ(walk({.minimum = 8, .maximum = 8, .step = 6, .factor = 0}),
            (std::vector<std::size_t>{8}));
}

TEST(Sizes, EveryWalkEnds) {
  EXPECT_EQ(walk({.minimum = 0, .maximum = 16, .step = 0, .factor = 2}, 8),
            (std::vector<std::size_t>{0, 8, 16}));
  EXPECT_EQ(walk(warmup_range({.minimum = 0, .maximum = 9, .step = 1, .factor = 1}), 4),
            (std::vector<std::size_t>{0, 4, 8}));
  const std::size_t most = ~std::size_t{0};
  EXPECT_EQ(walk({.minimum = most / 2, .maximum = most, .step = 0, .factor = 3}).size(), 1u);
  EXPECT_EQ(walk({.minimum = most, .maximum = most, .step = 1, .factor = 1}).size(), 1u);
}

TEST(Statistics, PercentilesAreOfNearestRank) {
  std::vector<double> times;
  for (int i = 200; i >= 1; --i) times.push_back(i);
  const IterationStatistics s = statistics_of(times);
  EXPECT_EQ(s.minimum, 1);
  EXPECT_EQ(s.maximum, 200);
  EXPECT_EQ(s.average, 100.5);
  EXPECT_EQ(s.p50, 101);
  EXPECT_EQ(s.p95, 190);
  EXPECT_EQ(s.p99, 198);
  EXPECT_EQ(percentile(times, 50), 100);
  EXPECT_EQ(percentile(times, 99.9), 200);
  EXPECT_EQ(percentile(times, 0.1), 1);
  EXPECT_NEAR(s.deviation * s.deviation, (200.0 * 200 - 1) / 12, 1e-9);
}

TEST(Statistics, FewTimesHaveTheirMaximumAsP99) {
  for (int n : {1, 2, 20, 99}) {
    std::vector<double> times(n, 1.0);
    times.back() = 7;
    EXPECT_EQ(statistics_of(times).p99, 7) << n;
  }
  EXPECT_EQ(statistics_of(std::vector<double>(3, 0.0)).variation_percent(), 0);
}

}  // namespace
}  // namespace weft::perf
