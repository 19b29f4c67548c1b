#include "perf/option_table.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace weft::perf {
namespace {

Result<long> integer(const OptionEntry& entry, const char* text, long least) {
  char* rest = nullptr;
  errno = 0;
  const long number = std::strtol(text, &rest, 0);
  if (rest == text || *rest != '\0' || errno != 0 || number < least || number > INT_MAX)
    return fail(Exit::bad_argument, "invalid value '{}' for '{}': an integer of at least {}", text,
                entry.name, least);
  return number;
}

template <int Options::*member, long least = 0>
Status whole(Options& options, const OptionEntry& entry, const char* value) {
  const auto number = integer(entry, value, least);
  if (!number) return tl::unexpected(number.error());
  options.*member = static_cast<int>(*number);
  return {};
}

template <std::size_t SizeRange::*member>
Status bytes(Options& options, const OptionEntry& entry, const char* value) {
  const auto size = parse_size(value);
  if (!size) return fail(Exit::bad_argument, "invalid size specified for '{}'", entry.name);
  options.sizes.*member = *size;
  return {};
}

template <bool Options::*member>
Status flag(Options& options, const OptionEntry&, const char*) {
  options.*member = true;
  return {};
}

template <std::string Options::*member>
Status text(Options& options, const OptionEntry&, const char* value) {
  options.*member = value;
  return {};
}

Status factor(Options& options, const OptionEntry& entry, const char* value) {
  const auto number = integer(entry, value, 0);
  if (!number) return tl::unexpected(number.error());
  options.sizes.factor = static_cast<std::size_t>(*number);
  return {};
}

Status root(Options& options, const OptionEntry& entry, const char* value) {
  if (std::string_view(value) != "all") return whole<&Options::root, -1>(options, entry, value);
  options.root = -1;
  return {};
}

Status type(Options& options, const OptionEntry&, const char* value) {
  std::string note;
  options.types = types_named(value, note);
  if (!note.empty()) options.notes.push_back(note);
  return {};
}

Status op(Options& options, const OptionEntry&, const char* value) {
  std::string note;
  options.operators = operators_named(value, note);
  if (!note.empty()) options.notes.push_back(note);
  return {};
}

Status order(Options& options, const OptionEntry& entry, const char* value) {
  constexpr std::string_view orders[] = {"auto", "canonical", "shape", "fast"};
  if (std::ranges::find(orders, value) == std::end(orders))
    return fail(Exit::bad_argument, "invalid value '{}' for '{}': auto, canonical, shape or fast",
                value, entry.name);
  options.order = value;
  return {};
}

Status buffers(Options& options, const OptionEntry& entry, const char* value) {
  const std::string_view kind = value;
  if (kind != "private" && kind != "shared")
    return fail(Exit::bad_argument, "invalid value '{}' for '{}': private or shared", value,
                entry.name);
  options.shared_buffers = kind == "shared";
  return {};
}

// "weft" is what the tools run anyway.
Status backend(Options& options, const OptionEntry&, const char* value) {
  options.backend = std::string_view(value) == "weft" ? "" : value;
  return {};
}

// Names, separated by commas; one module has one communicator, so none is there twice.
Status compare(Options& options, const OptionEntry& entry, const char* value) {
  std::istringstream names(value);
  options.compare.clear();
  for (std::string name; std::getline(names, name, ',');) {
    if (name.empty() || name == "weft" ||
        std::ranges::any_of(options.compare, [&](const std::string& other) {
          return module_of(other) == module_of(name);
        }))
      return fail(Exit::bad_argument,
                  "invalid value '{}' for '{}': peers of Weft, each once, separated by commas",
                  value, entry.name);
    options.compare.push_back(name);
  }
  return {};
}

Status percentiles(Options& options, const OptionEntry& entry, const char* value) {
  std::istringstream numbers(value + std::string(","));  // so that the last may be missing too
  options.percentiles.clear();
  for (std::string text; std::getline(numbers, text, ',');) {
    char* end = nullptr;
    const double percent = std::strtod(text.c_str(), &end);
    if (text.empty() || *end || !(percent > 0 && percent <= 100))
      return fail(Exit::bad_argument,
                  "invalid value '{}' for '{}': numbers above 0 up to 100, as 50,99,99.9", value,
                  entry.name);
    options.percentiles.push_back(percent);
  }
  return {};
}

Status nodes(Options& options, const OptionEntry&, const char* value) {
  auto split = parse_node_split(value);
  if (!split) return tl::unexpected(std::move(split).error());
  options.nodes = std::move(*split);
  return {};
}

// Scripts written for GPUs go on working: the option is read and named, nothing more.
Status ignored(Options& options, const OptionEntry& entry, const char* value) {
  if (const auto number = integer(entry, value, INT_MIN); !number)
    return tl::unexpected(number.error());
  if (std::string_view(value) != "0")
    options.notes.push_back(fmt::format("# Option -{} ({}) has no meaning on host memory. Ignoring",
                                        entry.letter, entry.name));
  return {};
}

constexpr OptionEntry theirs_table[] = {
    {'t', "nthreads", "<num threads>", "threads of a process (1)", whole<&Options::threads, 1>},
    {'g', "ngpus", "<ranks per thread>", "ranks each thread drives (1)",
     whole<&Options::ranks_per_thread, 1>},
    {'b', "minbytes", "<min size in bytes>", "first size; K, M, G are binary (32M)",
     bytes<&SizeRange::minimum>},
    {'e', "maxbytes", "<max size in bytes>", "last size (32M)", bytes<&SizeRange::maximum>},
    {'i', "stepbytes", "<increment size>", "added from size to size (1M)", bytes<&SizeRange::step>},
    {'f', "stepfactor", "<increment factor>", "multiplies instead (off)", factor},
    {'n', "iters", "<iteration count>", "timed iterations (20)", whole<&Options::iterations, 1>},
    {'m', "agg_iters", "<aggregation count>", "operations of one group, per iteration (1)",
     whole<&Options::aggregated, 1>},
    {'w', "warmup_iters", "<warmup iteration count>", "iterations before the clock starts (1)",
     whole<&Options::warmups>},
    {'N', "run_cycles", "<cycle count>", "times the whole walk is run; 0 = for ever (1)",
     whole<&Options::cycles>},
    {'p', "parallel_init", "<0/1>", "each thread makes its own communicators (0)",
     whole<&Options::parallel_init>},
    {'c', "check", "<check iteration count>", "checked iterations; 0 = none (1)",
     whole<&Options::checks>},
    {'o', "op", "<sum/prod/max/min/avg/mulsum/all>",
     "operator of a reduction (sum); also band, bor, bxor, land, lor, lxor, minloc, maxloc, "
     "sum_wide, "
     "avg_wide",
     op},
    {'d', "datatype", "<nccltype/all>",
     "element type (float): int8, uint8, int32, uint32, int64, uint64, half, float, double, "
     "bfloat16, f8e4m3, f8e5m2; also bool, int16, uint16, float_int, double_int, short_int, 2int, "
     "long_int",
     type},
    {'r', "root", "<root/all>", "root of a broadcast; -1 = all (0)", root},
    {'z', "blocking", "<0/1/2/3>",
     "1 = barrier after each operation, 2 = wait only, 3 = barrier after each iteration, not timed "
     "(0)",
     whole<&Options::blocking>},
    {'y', "stream_null", "<0/1>", "no meaning here", ignored},
    {'T', "timeout", "<time in seconds>", "deadline of each operation; 0 = WEFT_TIMEOUT (0)",
     whole<&Options::timeout_seconds>},
    {'G', "cudagraph", "<num graph launches>", "no meaning here", ignored},
    {'C', "report_cputime", "<0/1>", "CPU time of the calling thread in place of time (0)",
     whole<&Options::report_cputime>},
    {'S', "report_timestamps", "<0/1>", "date and time at the end of each row (0)",
     whole<&Options::report_timestamps>},
    {'J', "output_file", "<file>", "results in JSON as well, where the name ends in .json",
     text<&Options::output_file>},
    {'a', "average", "<0/1/2/3>", "times are of rank 0, average, minimum, maximum (1)",
     whole<&Options::average>},
    {'R', "local_register", "<0/1/2>", "no meaning here", ignored},
    {'x', "cta_policy", "<0/1/2>", "no meaning here", ignored},
    {'D', "device_implementation", "<implementation number>", "no meaning here", ignored},
    {'V', "device_cta_count", "<number>", "no meaning here", ignored},
    {'M', "memory", "<0/1>", "memory of the busiest process (0)", whole<&Options::report_memory>},
    {'u', "unalign", "<index of first element>", "buffers start that many elements later (0)",
     whole<&Options::unalign>},
    {'I', "per_iter_timing", "<0/1>", "columns on single iterations (0)",
     whole<&Options::per_iteration, INT_MIN>},
    {'K', "per_iter_skip", "<count>", "leading iterations that -I leaves out (0)",
     whole<&Options::per_iteration_skip, INT_MIN>},
    {'h', "help", "", "this text", flag<&Options::help>},
};

constexpr OptionEntry ours_table[] = {
    {0, "nodes", "<N or A+B+...>", "emulated nodes: N blocks of ranks, or the ranks of each",
     nodes},
    {0, "algorithm", "<name>", "one of `weft algorithms` in place of the library's choice",
     text<&Options::algorithm>},
    {0, "order", "<auto/canonical/shape/fast>",
     "in which order operands are combined (WEFT_ORDER, or auto)", order},
    {0, "offset", "<bytes>", "buffers start 0 to 15 bytes off their alignment (0)",
     whole<&Options::offset_bytes>},
    {0, "buffers", "<private/shared>",
     "memory of the process, or of weft_mem_alloc, which ranks of the node map (private)", buffers},
    {0, "digest", "", "last line: a digest of all results, on inputs that show the order of sums",
     flag<&Options::digest>},
    {0, "explain", "", "what was seen, and the schedules of the smallest and the largest size",
     flag<&Options::explain>},
    {0, "backend", "<weft/mpi/...>", "whose collectives the table is of (weft)", backend},
    {0, "compare", "<name,name,...>",
     "runs others in turns with Weft and reports the ratios of times: mpi, mpich, gloo, bound, "
     "pipe; fast, grouped, bf16, unaligned",
     compare},
    {0, "fault", "<rules>",
     "faults on purpose while the table is made, as in WEFT_FAULT: tcp:rate=100M",
     text<&Options::fault>},
    {0, "sweep-algorithms", "", "runs every schedule in turns with the chosen one",
     flag<&Options::sweep_algorithms>},
    {0, "rounds", "<count>", "turns each median of these two is of, at least (9)",
     whole<&Options::rounds>},
    {0, "details", "", "columns: first call, CPU time, p99/p50, all out of place",
     flag<&Options::details>},
    {0, "percentiles", "<percent,...>",
     "columns: the time that so many of the iterations take at most, out of place: 50,99,99.9",
     percentiles},
};

}  // namespace

std::span<const OptionEntry> theirs() { return theirs_table; }
std::span<const OptionEntry> ours() { return ours_table; }

}  // namespace weft::perf
