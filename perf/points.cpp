#include "perf/points.hpp"

#include <algorithm>
#include <numeric>

namespace weft::perf {
namespace {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

}  // namespace

State state_of(double nanoseconds) {
  if (!(nanoseconds > 0)) return State::none;
  if (nanoseconds < mid_from_ns) return State::near;
  return nanoseconds < far_from_ns ? State::mid : State::far;
}

const char* name_of(State state) {
  switch (state) {
    case State::near: return "near";
    case State::mid: return "mid";
    case State::far: return "far";
    case State::none: break;
  }
  return "none";
}

std::size_t StateResult::all_points() const {
  return std::accumulate(points.begin(), points.end(), std::size_t{0});
}

void Points::add(std::size_t contender, double seconds, double before, double after) {
  const State state = state_of(before);
  if (state == state_of(after))
    points_.push_back({contender, seconds, state});
  else
    ++dropped_;
}

bool Points::enough(std::size_t least) const { return !states(least).empty(); }

std::vector<StateResult> Points::states(std::size_t least) const {
  std::vector<StateResult> results;
  for (State state : {State::none, State::near, State::mid, State::far}) {
    StateResult result = {.state = state, .medians = {}, .points = {}};
    bool complete = true;
    for (std::size_t contender = 0; contender < contenders_; ++contender) {
      std::vector<double> seconds;
      for (const Point& point : points_)
        if (point.contender == contender && point.state == state) seconds.push_back(point.seconds);
      complete = complete && !seconds.empty() && seconds.size() >= least;
      if (!complete) break;
      result.points.push_back(seconds.size());
      result.medians.push_back(median(std::move(seconds)));
    }
    if (complete) results.push_back(std::move(result));
  }
  std::ranges::stable_sort(results, [](const StateResult& a, const StateResult& b) {
    return a.all_points() > b.all_points();
  });
  return results;
}

}  // namespace weft::perf
