// -J: the run as JSON, with nccl-tests' keys and its ways (booleans and the root are strings, a
// number that is none is "nan").
//
// The document is built in memory and written when finish() is called, also after a failure, with
// what there is by then. The file is claimed at the start, so that a path that cannot be written
// shows before a long run, and an older report is never overwritten. Threads: one.
#pragma once
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "perf/table.hpp"
#include "perf/verdict.hpp"

namespace weft::perf {

class JsonReport {
 public:
  // Opens `path`, or path.0, path.1 and so on where it exists, and says in `message` which. Nothing
  // where the file cannot be made.
  static std::optional<JsonReport> open(const std::string& path, std::string& message);

  void begin(std::span<const char* const> arguments, std::span<const std::string> environment,
             int library_version);
  void config(const Options& options);
  void device(const Device& device);
  void order(const std::string& name);
  void peers(const Options& options, std::span<const std::string> descriptions);
  void row_start(const Row& row);
  void row_half(const Measurement& measurement, bool in_place, bool cpu_time);
  // Times in seconds; `processes` has one row of times per process, and is left out for one
  // process.
  void row_iterations(const IterationStatistics& statistics, std::span<const double> times,
                      int skipped, bool in_place, std::span<const double> processes);
  void row_details(const Details& details);
  void row_percentiles(std::span<const double> percents, std::span<const double> times);
  // compare {backend, time, ratio, state}: the peer's time in microseconds and that time by
  // Weft's, of the state with most points and the first peer; left out without one.
  // compare_states has all states and in each all peers, with the form that was fastest.
  // With of_schedules: algorithms, one list a state, and regret of the state with most points.
  void row_contest(const Verdict& verdict, bool of_schedules);
  void row_end(int iterations);
  void summary(const Summary& summary);
  void errors(const std::string& text);
  void digest(const std::string& text);
  void finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit JsonReport(std::FILE* file) : file_(file) {}
  void schedules(const Verdict& verdict);

  std::unique_ptr<std::FILE, Close> file_;
  nlohmann::ordered_json document_, row_;
};

}  // namespace weft::perf
