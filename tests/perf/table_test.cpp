// The expected lines are written with printf, in the formats that readers of the original know.
#include "perf/table.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

namespace weft::perf {
namespace {

template <class... Args>
std::string printed(const char* format, Args... args) {
  char text[1024];
  std::snprintf(text, sizeof text, format, args...);
  return text;
}

std::string line_of(const std::string& text, int number) {
  std::size_t at = 0;
  for (; number > 0; --number) at = text.find('\n', at) + 1;
  return text.substr(at, text.find('\n', at) - at);
}

TEST(Table, FooterIsToTheLetter) {
  EXPECT_EQ(footer({.errors = 0, .bus_bandwidth = 1.25, .least_bandwidth = -1}, "all_reduce_perf"),
            "# Out of bounds values : 0 OK\n"
            "# Avg bus bandwidth    : 1.25 \n"
            "#\n"
            "# Collective test concluded: all_reduce_perf\n");
  EXPECT_EQ(footer({.errors = 3, .bus_bandwidth = 12.34567, .least_bandwidth = 10}, "x"),
            "# Out of bounds values : 3 FAILED\n"
            "# Avg bus bandwidth    : 12.3457 OK\n"
            "#\n"
            "# Collective test concluded: x\n");
  EXPECT_EQ(line_of(footer({.errors = 0, .bus_bandwidth = 8.9, .least_bandwidth = 10}, "x"), 1),
            "# Avg bus bandwidth    : 8.9 FAILED");
}

TEST(Table, ATenthBelowTheLeastBandwidthIsEnough) {
  EXPECT_TRUE((Summary{.errors = 0, .bus_bandwidth = 9, .least_bandwidth = 10}).enough());
  EXPECT_FALSE((Summary{.errors = 0, .bus_bandwidth = 8.999, .least_bandwidth = 10}).enough());
  EXPECT_TRUE((Summary{.errors = 0, .bus_bandwidth = 0, .least_bandwidth = -1}).enough());
}

TEST(Table, HeaderIsToTheLetter) {
  const std::string text = header({});
  EXPECT_EQ(line_of(text, 0), "#");
  EXPECT_EQ(
      line_of(text, 1),
      "#                                                              out-of-place              "
      "         in-place          ");
  EXPECT_EQ(line_of(text, 2),
            "#       size         count      type   redop    root     time   algbw   busbw  #wrong"
            "     time   algbw   busbw  #wrong ");
  EXPECT_EQ(line_of(text, 3),
            "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)        "
            "     (us)  (GB/s)  (GB/s)         ");
}

TEST(Table, OptionsChangeTheHeader) {
  Options options;
  options.report_cputime = options.report_timestamps = options.per_iteration = 1;
  const std::string text = header(options);
  const std::string half = printed("  %7s  %6s  %6s  %6s  %7s  %7s  %7s  %7s", "cputime", "algbw",
                                   "busbw", "#wrong", "i_min", "i_max", "i_p99", "i_cv%");
  EXPECT_EQ(line_of(text, 2),
            printed("# %10s  %12s  %8s  %6s  %6s", "size", "count", "type", "redop", "root") +
                half + half + printed(" %*s", 19, "timestamp"));
  EXPECT_EQ(line_of(text, 3).substr(line_of(text, 3).size() - 20),
            printed(" %*s", 19, "%Y-%m-%d %H:%M:%S"));
  EXPECT_EQ(line_of(text, 1),
            "#                                                                 out-of-place (+ "
            "per-iteration)                                in-place (+ per-iteration)");
}

TEST(Table, RowsHaveTheWidthsOfTheOriginal) {
  EXPECT_EQ(
      row_start({.bytes = 33554432, .count = 8388608, .type = "float", .op = "sum", .root = -1}),
      printed("%12li  %12li  %8s  %6s  %6s", 33554432L, 8388608L, "float", "sum", "    -1"));
  EXPECT_EQ(
      row_half({.microseconds = 12.345, .bandwidth = {1.5, 0.75}, .checked = true, .wrong = 0}),
      printed("  %7s  %6s  %6s  %6g", "  12.35", "  1.50", "  0.75", 0.0));
  EXPECT_EQ(row_half({.microseconds = 1, .bandwidth = {1, 1}, .checked = true, .wrong = 123456789}),
            printed("  %7s  %6s  %6s  %6g", "   1.00", "  1.00", "  1.00", 123456789.0));
  EXPECT_EQ(row_half({.microseconds = 1, .bandwidth = {1, 1}, .checked = false, .wrong = 0}),
            printed("  %7s  %6s  %6s    N/A", "   1.00", "  1.00", "  1.00"));
  EXPECT_EQ(row_timestamp("2026-01-31 12:00:00"), "  2026-01-31 12:00:00");
}

TEST(Table, NumbersLosePrecisionBeforeTheyLoseTheirColumn) {
  const double values[] = {0,        0.004,    9.999,    999.994,  9999.99,   99999.94, 99999.96,
                           123456.7, 999999.4, 1234567., 9999999., 12345678., 1e12,     1e99};
  for (int width : {6, 7}) {
    for (double value : values) {
      const std::string text = fitted(value, width);
      EXPECT_EQ(text.size(), static_cast<std::size_t>(width)) << text;
      EXPECT_NEAR(std::stod(text), value, value * 0.6 + 0.005) << text;
    }
  }
  EXPECT_EQ(fitted(1234.5678, 7), "1234.57");
  EXPECT_EQ(fitted(12345.678, 7), "12345.7");
  EXPECT_EQ(fitted(1234567.8, 7), "1234568");
  EXPECT_EQ(fitted(12345678, 7), "1.2e+07");
  EXPECT_EQ(fitted(1234567, 6), " 1e+06");
}

TEST(Table, OpeningSaysWhatIsRun) {
  Options options;
  const std::string text = opening(options, "all_reduce_perf", 100);
  EXPECT_EQ(line_of(text, 0).find("# nccl-tests version 2.19.6 "), 0u);
  EXPECT_EQ(line_of(text, 1), "# Collective test starting: all_reduce_perf");
  EXPECT_EQ(line_of(text, 2),
            "# nThread 1 nGpus 1 minBytes 33554432 maxBytes 33554432 step: 1048576(bytes) warmup "
            "iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0 unalign: 0");
  EXPECT_EQ(line_of(text, 3), "#");
  EXPECT_EQ(line_of(text, 4), "# Using devices");
  options.sizes.factor = 2;
  options.blocking = 2;
  EXPECT_NE(opening(options, "", 1).find(" step: 2(factor) "), std::string::npos);
  EXPECT_EQ(line_of(opening(options, "", 1), 3),
            "# Blocking Enabled: wait after each inner iteration (-m), no barrier ");
}

TEST(Table, DeviceLineKeepsTheShapeOfTheOriginal) {
  Device device;
  device.rank = 3;
  device.pid = 1234;
  device.node = 1;
  std::strcpy(device.host, "loom");
  std::strcpy(device.node_name, "node1");
  std::strcpy(device.transports, "shm, tcp");
  EXPECT_EQ(device_line(device), printed("#  Rank %2d Group %2d Pid %6d on %10s node %2d [%s] %s\n",
                                         3, 0, 1234, "loom", 1, "node1", "shm, tcp"));
}

TEST(Table, MemoryIsInTheUnitThatReadsBest) {
  EXPECT_EQ(memory_line({.initialization = 512, .buffers = 64.0 * 1048576, .collectives = -2048}),
            "# Host memory usage    : Initialization 512 B | User-Allocated 64.0 MB | Collective "
            "-2.00 KB | Total  64.0 MB\n");
}

}  // namespace
}  // namespace weft::perf
