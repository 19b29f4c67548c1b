// The one voice of a run: what is said goes to stdout and, with -J, into the JSON report.
//
// Only thread 0 of process 0 has one that speaks; the others hold a silent one and call it all the
// same, so the code of a run has no questions about who it is. Threads: one at a time.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "perf/json_report.hpp"
#include "perf/table.hpp"
#include "perf/verdict.hpp"

namespace weft::perf {

// The schedule most worth another choice, over all rows and states.
struct Worst {
  double factor = 0;  // 0: no contest of schedules
  std::string where;
};

class Reporter {
 public:
  Reporter() = default;  // silent
  Reporter(const Options& options, const char* program) : options_(&options), program_(program) {}
  ~Reporter();
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  void open_json(std::span<const char* const> arguments, int library_version);
  void notes();
  void opening(int library_version);
  void devices(std::span<const Device> devices);
  void order(const std::string& name);
  void buffers();
  void peers(std::span<const std::string> descriptions);
  void reduced_maximum(std::size_t bytes);
  void header();
  void row_start(const Row& row);
  void row_half(const Measurement& measurement, bool in_place);
  void row_iterations(std::span<const double> times, bool in_place,
                      std::span<const double> processes);
  void row_details(const Details& details);
  void row_percentiles(const std::vector<double>& microseconds);  // in the order of the option
  void row_contest(const Verdict& verdict);
  void row_end();
  void footer(const Summary& summary, const std::optional<MemoryUse>& memory);
  void errors(const std::string& text);
  void line(const std::string& text);  // outside the JSON report
  void digest(const std::string& text);

 private:
  void say(const std::string& text);

  const Options* options_ = nullptr;  // null: silent
  const char* program_ = "";
  std::optional<JsonReport> json_;
  std::optional<Details> details_;   // of this row
  std::vector<double> percentiles_;  // of this row
  std::optional<Verdict> verdict_;   // of this row
  std::size_t row_bytes_ = 0;
  Worst worst_;
};

// The environment for a report that may be passed on: the job's secret is left out.
std::vector<std::string> reported_environment(const char* const* environment);

}  // namespace weft::perf
