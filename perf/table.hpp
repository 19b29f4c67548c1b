// The text of the table, to the letter of nccl-tests 2.19.6, so that what reads its output reads
// ours. Threads: pure functions.
#pragma once
#include <cstddef>
#include <string>

#include "perf/collective.hpp"
#include "perf/options.hpp"
#include "perf/statistics.hpp"

namespace weft::perf {

// Two digits after the point while they fit `width`, then one, none, and powers of ten.
std::string fitted(double value, int width);

// The lines before the devices.
std::string opening(const Options& options, const char* program, int library_version);

struct Device {  // a rank and where it runs; node and transports stand where nccl-tests has a GPU
  int rank = 0, group = 0, pid = 0, node = 0;
  char host[64] = "", node_name[64] = "", transports[64] = "";
};
std::string device_line(const Device& device);

// The three lines above the rows.
std::string header(const Options& options);

struct Row {
  std::size_t bytes = 0, count = 0;
  const char* type = "";
  const char* op = "none";
  int root = -1;
};
std::string row_start(const Row& row);

// One half of a row: out of place or in place.
struct Measurement {
  double microseconds = 0;
  Bandwidth bandwidth;
  bool checked = true;
  std::size_t wrong = 0;
};
std::string row_half(const Measurement& measurement);
std::string row_iterations(const IterationStatistics& statistics);  // times in seconds
std::string row_timestamp(const std::string& now);

struct Summary {
  int errors = 0;  // halves of rows with wrong elements, over all threads
  double bus_bandwidth = 0;
  double least_bandwidth = -1;  // NCCL_TESTS_MIN_BW; -1: none asked
  bool enough() const { return !(bus_bandwidth < least_bandwidth * 0.9); }
};
std::string footer(const Summary& summary, const char* program);

struct MemoryUse {  // bytes of the process that uses most
  double initialization = 0, buffers = 0, collectives = 0;
};
std::string memory_line(const MemoryUse& use);

// "2026-01-31 12:00:00", local time.
std::string now_text();

}  // namespace weft::perf
