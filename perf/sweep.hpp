// One thread's walk over types, operators, roots and sizes: warm up, time, check, report.
//
// All threads of all processes walk in step; the reporter of one of them speaks. Lifetime: borrows
// everything it is given. Threads: its own only.
#pragma once
#include <span>

#include "perf/contest.hpp"
#include "perf/reporter.hpp"
#include "perf/timing.hpp"

namespace weft::perf {

struct Totals {
  int errors = 0;        // halves of rows in which this thread found wrong elements
  double bandwidth = 0;  // sum of bus bandwidths
  int measurements = 0;
};

class Sweep {
 public:
  Sweep(const Options& options, const Collective& collective, int all_ranks, int thread,
        Field field, RankSet& ranks, Team& team, Reporter& reporter)
      : options_(options),
        collective_(collective),
        all_ranks_(all_ranks),
        thread_(thread),
        field_(std::move(field)),
        ranks_(ranks),
        team_(team),
        reporter_(reporter) {}

  Status run();
  const Totals& totals() const { return totals_; }

 private:
  Status walk(Case test);
  Status warm_up(Case& test);
  Status row(const Case& test);
  Status measure(const Case& test, Place place);
  Result<std::size_t> check_results(const Case& test, Place place);
  Status digest(const Case& test, Place place);
  Status report_iterations(const std::vector<double>& times, Place place);
  // `times`: of the slowest process in each iteration.
  Status report_details(const Timing& timing, std::span<const double> times);
  void report_percentiles(std::span<const double> times);
  Status contest(const Case& test);
  Result<std::string> chosen(const Case& test) const;
  void resize(Case& test, std::size_t bytes) const;

  const Options& options_;
  const Collective& collective_;
  const int all_ranks_, thread_;
  Field field_;
  RankSet& ranks_;
  Team& team_;
  Reporter& reporter_;
  Totals totals_;
  std::uint64_t round_ = 0;  // of checks: the same on all threads, so it seeds the inputs
};

}  // namespace weft::perf
