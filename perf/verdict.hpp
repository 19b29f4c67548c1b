// What one row's contest came to, as text; json_report has the same as JSON.
//
// Threads: pure functions.
#pragma once
#include <string>
#include <vector>

#include "perf/options.hpp"
#include "perf/points.hpp"
#include "perf/statistics.hpp"

namespace weft::perf {

struct Entrant {
  std::string name;
  std::string form;     // of a peer with several; "" of others
  std::string order;    // that a schedule's sums keep; "" where that is no question
  bool may_win = true;  // false: a schedule that does not keep the promised order
};

struct Verdict {
  std::vector<Entrant> entrants;    // who took part; 0: what the table's row is of
  std::vector<StateResult> states;  // the one with most points first; empty: the cores never stayed
  std::size_t dropped = 0;          // points, because the distance changed
  std::string refusal;              // who did not take part and why, or who was wrong
};

std::string full_name(const Entrant& entrant);  // with its form

// Of each name but entrant 0's the fastest form, in the order of the entrants.
std::vector<std::size_t> rivals_of(const StateResult& state, const std::vector<Entrant>& entrants);

// The best of those that may win, and how much longer entrant 0 takes: 1 is no regret.
struct Regret {
  std::size_t best = 0;
  double factor = 1;
};
Regret regret_of(const StateResult& state, const std::vector<Entrant>& entrants);

// --details: the first call of the row, CPU time of the calling thread, both in microseconds, and
// how far single calls stray.
struct Details {
  double first = 0, cpu = 0, p99_over_p50 = 0;
};

// What options add at the end of the header's second and third line, and of a row.
struct Titles {
  std::string names, units;
};
Titles more_titles(const Options& options);
std::string details_columns(const Details& details);
std::string percentile_columns(const std::vector<double>& microseconds);
std::string comparison_columns(const Verdict& verdict, const std::vector<std::string>& names);

// Lines below the row: the other states of a comparison; all schedules of a sweep.
std::string comparison_lines(const Verdict& verdict);
std::string schedule_lines(const Verdict& verdict);

}  // namespace weft::perf
