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
  if (!options.compare.empty()) {
    titles.names +=
        fmt::format("  {:>7}  {:>7}  {:>7}  {:>5}", "weft", options.compare, "ratio", "state");
    titles.units += fmt::format("  {:>7}  {:>7}  {:>7}  {:>5}", "(us)", "(us)", "", "");
  }
  return titles;
}

std::string details_columns(const Details& details) {
  return fmt::format("  {}  {}  {}", fitted(details.first, 7), fitted(details.cpu, 7),
                     fitted(details.p99_over_p50, 7));
}

std::string comparison_columns(const Verdict& verdict) {
  if (verdict.states.empty())
    return fmt::format("  {:>7}  {:>7}  {:>7}  {:>5}", "-", "-", "-", "-");
  const StateResult& first = verdict.states.front();
  return fmt::format("  {}  {}  {}  {:>5}", microseconds(first.medians[0]),
                     microseconds(first.medians[1]), fitted(first.ratio(1), 7),
                     name_of(first.state));
}

std::string comparison_lines(const Verdict& verdict) {
  if (verdict.states.empty()) return without_result(verdict);
  std::string text = refusal_line(verdict);
  for (const StateResult& state : std::span(verdict.states).subspan(1))
    text +=
        fmt::format("#   {}: {} {:.2f} us, {} {:.2f} us, ratio {:.2f}, {}\n", name_of(state.state),
                    verdict.entrants[0].name, state.medians[0] * 1e6, verdict.entrants[1].name,
                    state.medians[1] * 1e6, state.ratio(1), points_text(state));
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
