#include "perf/verdict.hpp"

#include <algorithm>
#include <numeric>

#include "perf/table.hpp"

namespace weft::perf {
namespace {

std::string microseconds(double seconds) { return fitted(seconds * 1e6, 7); }

std::string points_text(const StateResult& state) {
  return fmt::format("{} points each", std::ranges::min(state.points));
}

std::string refusal_line(const Verdict& verdict) {
  return verdict.refusal.empty() ? "" : fmt::format("#   {}\n", verdict.refusal);
}

std::string without_result(const Verdict& verdict) {
  if (!verdict.refusal.empty()) return refusal_line(verdict);
  return fmt::format(
      "#   the cores stayed in no state for long enough: {} points dropped; try again, or pin the "
      "virtual machine\n",
      verdict.dropped);
}

}  // namespace

std::string full_name(const Entrant& entrant) {
  return entrant.form.empty() ? entrant.name : fmt::format("{} ({})", entrant.name, entrant.form);
}

std::vector<std::size_t> rivals_of(const StateResult& state, const std::vector<Entrant>& entrants) {
  std::vector<std::size_t> rivals;
  for (std::size_t i = 1; i < entrants.size(); ++i) {
    const auto known = std::ranges::find_if(
        rivals, [&](std::size_t rival) { return entrants[rival].name == entrants[i].name; });
    if (known == rivals.end())
      rivals.push_back(i);
    else if (state.medians[i] < state.medians[*known])
      *known = i;
  }
  return rivals;
}

Regret regret_of(const StateResult& state, const std::vector<Entrant>& entrants) {
  Regret regret;
  for (std::size_t i = 1; i < entrants.size(); ++i)
    if (entrants[i].may_win && state.medians[i] < state.medians[regret.best]) regret.best = i;
  regret.factor = state.medians[0] / state.medians[regret.best];
  return regret;
}

Titles more_titles(const Options& options) {
  Titles titles;
  if (options.details) {
    titles.names += fmt::format("  {:>7}  {:>7}  {:>7}", "first", "cputime", "p99/p50");
    titles.units += fmt::format("  {:>7}  {:>7}  {:>7}", "(us)", "(us)", "");
  }
  for (const double percent : options.percentiles) {
    titles.names += fmt::format("  {:>7}", fmt::format("p{:g}", percent));
    titles.units += fmt::format("  {:>7}", "(us)");
  }
  if (!options.compare.empty()) {
    titles.names += fmt::format("  {:>7}", "weft");
    titles.units += fmt::format("  {:>7}", "(us)");
    for (const std::string& name : options.compare) {
      titles.names += fmt::format("  {:>7}  {:>7}", name, "ratio");
      titles.units +=
          fmt::format("  {:>{}}  {:>7}", "(us)", std::max<std::size_t>(name.size(), 7), "");
    }
    titles.names += fmt::format("  {:>5}", "state");
    titles.units += fmt::format("  {:>5}", "");
  }
  return titles;
}

std::string details_columns(const Details& details) {
  return fmt::format("  {}  {}  {}", fitted(details.first, 7), fitted(details.cpu, 7),
                     fitted(details.p99_over_p50, 7));
}

std::string percentile_columns(const std::vector<double>& microseconds) {
  std::string text;
  for (const double time : microseconds) text += "  " + fitted(time, 7);
  return text;
}

// A time and a ratio for each of `names`, also where one did not take part.
std::string comparison_columns(const Verdict& verdict, const std::vector<std::string>& names) {
  const StateResult* first = verdict.states.empty() ? nullptr : &verdict.states.front();
  std::string text = fmt::format("  {:>7}", first ? microseconds(first->medians[0]) : "-");
  const auto rivals = first ? rivals_of(*first, verdict.entrants) : std::vector<std::size_t>();
  for (const std::string& name : names) {
    const auto rival = std::ranges::find_if(
        rivals, [&](std::size_t i) { return verdict.entrants[i].name == name; });
    const bool is_there = rival != rivals.end();
    text += fmt::format("  {:>{}}  {:>7}", is_there ? microseconds(first->medians[*rival]) : "-",
                        std::max<std::size_t>(name.size(), 7),
                        is_there ? fitted(first->ratio(*rival), 7) : "-");
  }
  return text + fmt::format("  {:>5}", first ? name_of(first->state) : "-");
}

std::string comparison_lines(const Verdict& verdict) {
  if (verdict.states.empty()) return without_result(verdict);
  std::string text = refusal_line(verdict);
  for (const StateResult& state : std::span(verdict.states).subspan(1)) {
    text += fmt::format("#   {}: {} {:.2f} us", name_of(state.state), verdict.entrants[0].name,
                        state.medians[0] * 1e6);
    for (std::size_t i : rivals_of(state, verdict.entrants))
      text += fmt::format(", {} {:.2f} us, ratio {:.2f}", full_name(verdict.entrants[i]),
                          state.medians[i] * 1e6, state.ratio(i));
    text += fmt::format(", {}\n", points_text(state));
  }
  return text;
}

std::string schedule_lines(const Verdict& verdict) {
  if (verdict.states.empty()) return without_result(verdict);
  std::string text = refusal_line(verdict);
  for (const StateResult& state : verdict.states) {
    const Regret regret = regret_of(state, verdict.entrants);
    text += fmt::format("#   {}: chosen {}, best {}, regret {:.2f}, {}\n", name_of(state.state),
                        verdict.entrants[0].name, verdict.entrants[regret.best].name, regret.factor,
                        points_text(state));
    std::vector<std::size_t> places(verdict.entrants.size());
    std::iota(places.begin(), places.end(), 0);
    std::ranges::sort(places, {}, [&](std::size_t i) { return state.medians[i]; });
    for (std::size_t i : places) {
      const Entrant& entrant = verdict.entrants[i];
      const std::string order = entrant.order.empty() ? "" : fmt::format(" ({})", entrant.order);
      text += fmt::format("#     {} us  {:.2f}  {}{}\n", microseconds(state.medians[i]),
                          state.ratio(i), i == 0 ? "as chosen: " + entrant.name : entrant.name,
                          order + (entrant.may_win ? "" : ", another order than promised"));
    }
  }
  return text;
}

}  // namespace weft::perf
