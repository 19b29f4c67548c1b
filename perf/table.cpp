#include "perf/table.hpp"

#include <cmath>
#include <ctime>

#include "perf/verdict.hpp"

namespace weft::perf {
namespace {

constexpr const char* interface_version = "2.19.6";  // of nccl-tests
constexpr const char* time_format = "%Y-%m-%d %H:%M:%S";

std::string memory_text(double bytes) {
  const char* units[] = {"B", "KB", "MB", "GB"};
  int unit = 0;
  for (; unit < 3 && std::abs(bytes) >= 1024; ++unit) bytes /= 1024;
  const int digits = std::abs(bytes) < 10 ? 2 : std::abs(bytes) < 100 ? 1 : 0;
  return fmt::format("{:.{}f} {}", bytes, digits, units[unit]);
}

// What stands above the columns of one half of the table, in one of the header's lines.
struct HalfLabels {
  const char *time, *algorithm, *bus, *wrong;
  const char *least, *most, *p99, *variation;  // with -I only
};

std::string half_header(const HalfLabels& labels, bool with_iterations) {
  std::string text = fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", labels.time, labels.algorithm,
                                 labels.bus, labels.wrong);
  if (with_iterations)
    text += fmt::format("  {:>7}  {:>7}  {:>7}  {:>7}", labels.least, labels.most, labels.p99,
                        labels.variation);
  return text;
}

}  // namespace

std::string fitted(double value, int width) {
  for (int digits : {2, 1, 0}) {
    std::string text = fmt::format("{:{}.{}f}", value, width, digits);
    if (text.size() <= static_cast<std::size_t>(width)) return text;
  }
  return fmt::format("{:{}.{}e}", value, width, width >= 7 ? 1 : 0);
}

std::string opening(const Options& options, const char* program, int library_version) {
  const SizeRange& sizes = options.sizes;
  std::string text = fmt::format("# nccl-tests version {} weft-headers={} weft-library={}\n",
                                 interface_version, WEFT_VERSION, library_version);
  text += fmt::format("# Collective test starting: {}\n", program);
  text += fmt::format(
      "# nThread {} nGpus {} minBytes {} maxBytes {} step: {}({}) warmup iters: {} iters: {} agg "
      "iters: {} validation: {} graph: 0 unalign: {}\n",
      options.threads, options.ranks_per_thread, sizes.minimum, sizes.maximum,
      sizes.factor > 1 ? sizes.factor : sizes.step, sizes.factor > 1 ? "factor" : "bytes",
      options.warmups, options.iterations, options.aggregated, options.checks, options.unalign);
  switch (options.blocking) {
    case 1:
      text += "# Blocking Enabled: wait and barrier after each inner iteration (-m) \n";
      break;
    case 2:
      text += "# Blocking Enabled: wait after each inner iteration (-m), no barrier \n";
      break;
    case 3:
      text +=
          "# Blocking Enabled: wait and barrier after each outer iteration (-n); time excludes "
          "barrier \n";
      break;
    default: break;
  }
  if (options.per_iteration) {
    text += "# Per-Iteration Report: host clock timing; i_* uses max over process rows";
    if (options.per_iteration_skip)
      text += fmt::format("; summary skips first {} iterations", options.per_iteration_skip);
    text += " \n";
  }
  if (options.parallel_init)
    text += "# Parallel Init Enabled: threads call into weft_comm_create concurrently \n";
  return text + "#\n# Using devices\n";
}

std::string device_line(const Device& device) {
  return fmt::format("#  Rank {:2} Group {:2} Pid {:6} on {:>10} node {:2} [{}] {}\n", device.rank,
                     device.group, device.pid, device.host, device.node, device.node_name,
                     device.transports);
}

std::string header(const Options& options) {
  const auto left = [](const char* size, const char* count, const char* type, const char* op,
                       const char* root) {
    return fmt::format("# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}", size, count, type, op, root);
  };
  const char* places = options.per_iteration
                           ? "              out-of-place (+ per-iteration)                     "
                             "           in-place (+ per-iteration)\n"
                           : "           out-of-place                       in-place          \n";
  const char* time = options.report_cputime ? "cputime" : "time";
  const std::string names =
      half_header({time, "algbw", "busbw", "#wrong", "i_min", "i_max", "i_p99", "i_cv%"},
                  options.per_iteration);
  const std::string units = half_header(
      {"(us)", "(GB/s)", "(GB/s)", "", "(us)", "(us)", "(us)", "(%)"}, options.per_iteration);
  const int pad = options.report_timestamps ? 19 : 0;
  const Titles more = more_titles(options);
  return fmt::format("#\n{}{}{}{}{} {:>{}}{}\n{}{}{} {:>{}}{}\n", left("", "", "", "", ""), places,
                     left("size", "count", "type", "redop", "root"), names, names,
                     options.report_timestamps ? "timestamp" : "", pad, more.names,
                     left("(B)", "(elements)", "", "", ""), units, units,
                     options.report_timestamps ? time_format : "", pad, more.units);
}

std::string row_start(const Row& row) {
  return fmt::format("{:12}  {:12}  {:>8}  {:>6}  {:6}", row.bytes, row.count, row.type, row.op,
                     row.root);
}

std::string row_half(const Measurement& measurement) {
  const std::string wrong =
      measurement.checked ? fmt::format("{:6g}", static_cast<double>(measurement.wrong)) : "  N/A";
  return fmt::format("  {}  {}  {}  {}", fitted(measurement.microseconds, 7),
                     fitted(measurement.bandwidth.algorithm, 6),
                     fitted(measurement.bandwidth.bus, 6), wrong);
}

std::string row_iterations(const IterationStatistics& statistics) {
  return fmt::format("  {}  {}  {}  {}", fitted(statistics.minimum * 1e6, 7),
                     fitted(statistics.maximum * 1e6, 7), fitted(statistics.p99 * 1e6, 7),
                     fitted(statistics.variation_percent(), 7));
}

std::string row_timestamp(const std::string& now) { return fmt::format("{:>21}", now); }

std::string footer(const Summary& summary, const char* program) {
  const char* verdict = summary.least_bandwidth == -1 ? "" : summary.enough() ? "OK" : "FAILED";
  return fmt::format("# {:<20} : {} {}\n# {:<20} : {:g} {}\n#\n# Collective test concluded: {}\n",
                     "Out of bounds values", summary.errors, summary.errors ? "FAILED" : "OK",
                     "Avg bus bandwidth", summary.bus_bandwidth, verdict, program);
}

std::string memory_line(const MemoryUse& use) {
  return fmt::format(
      "# {:<20} : Initialization {} | User-Allocated {} | Collective {} | Total  {}\n",
      "Host memory usage", memory_text(use.initialization), memory_text(use.buffers),
      memory_text(use.collectives),
      memory_text(use.initialization + use.buffers + use.collectives));
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[64];
  return std::string(text, std::strftime(text, sizeof text, time_format, &local));
}

}  // namespace weft::perf
