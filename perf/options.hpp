// The command line: every option of nccl-tests 2.19.6 with its letter, long name and default, and
// ours, which are long only.
//
// It is read with getopt_long, as nccl-tests reads its own, so bundles, abbreviations and -b8 mean
// the same here. Options of the GPU world are accepted and leave a note. Threads: getopt keeps
// state, so parse in one thread at a time; the result is a value.
#pragma once
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "perf/elements.hpp"
#include "perf/node_split.hpp"
#include "perf/outcome.hpp"
#include "perf/sizes.hpp"

namespace weft::perf {

// Fewer have no median worth the name.
constexpr int least_rounds = 9;

struct Options {
  int threads = 1;
  int ranks_per_thread = 1;
  SizeRange sizes = {.minimum = 32 << 20, .maximum = 32 << 20, .step = 1 << 20, .factor = 1};
  int iterations = 20;
  int aggregated = 1;
  int warmups = 1;
  int cycles = 1;  // 0: until killed
  int checks = 1;
  int average = 1;  // 0 rank 0, 1 average, 2 minimum, 3 maximum
  int parallel_init = 0;
  int blocking = 0;
  int timeout_seconds = 0;  // 0: the library's own
  int report_cputime = 0;
  int report_timestamps = 0;
  int report_memory = 0;
  int per_iteration = 0;
  int per_iteration_skip = 0;
  int unalign = 0;  // elements
  int root = 0;     // -1: all
  std::span<const ElementType> types = {&default_type(), 1};
  std::span<const Operator> operators = {&default_operator(), 1};
  std::string output_file;

  NodeSplit nodes;
  std::string algorithm;  // "": the library's choice
  std::string order;      // "": the library's choice
  int offset_bytes = 0;
  bool shared_buffers = false;  // of weft_mem_alloc, which ranks of the node map
  bool digest = false;
  bool explain = false;
  std::string backend;               // "": Weft; else a peer, which runs the table
  std::vector<std::string> compare;  // who takes turns with Weft: peers, or itself in another way
  std::string fault;                 // as in WEFT_FAULT, of the communicators of the table
  bool sweep_algorithms = false;     // all schedules there are against the chosen one
  int rounds = least_rounds;         // points of a contender for one state
  bool details = false;
  std::vector<double> percentiles;  // of single iterations, out of place

  bool help = false;
  std::vector<std::string> notes;  // lines for the user: what was ignored or replaced
  int ranks_per_process() const { return threads * ranks_per_thread; }
  bool compares(const std::string& name) const {
    return std::ranges::find(compare, name) != compare.end();
  }
};

// "mpi:tuned" is the peer mpi, under a name that says with which settings of its environment.
std::string module_of(const std::string& name);
// Weft itself in another way: "fast" in any order of sums, "grouped" a thousand calls at a time,
// "bf16" with the same bytes as bfloat16, "unaligned" 4 bytes off.
bool is_own(const std::string& name);
constexpr std::size_t unaligned_shift = 4;  // bytes

Result<Options> parse_options(int count, const char* const* words);

std::string usage(const std::string& program);

}  // namespace weft::perf
