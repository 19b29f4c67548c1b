#include "perf/contest.hpp"

#include <algorithm>
#include <cmath>

#include "perf/timing.hpp"

namespace weft::perf {
namespace {

constexpr double point_seconds = 2e-3;
constexpr double most_calls = 1 << 20;
constexpr int most_rounds_factor = 4;

}  // namespace

Status Contest::use(std::size_t contender, const Case& test) {
  ranks_.use(contenders_[contender].communicators, contenders_[contender].peer);
  return ranks_.make_operators(test);
}

// Of one operation, after one that is not timed.
Result<double> Contest::seconds(const Case& test, std::size_t contender, int calls, Combine how) {
  PERF_TRY(use(contender, test));
  const int together = options_.aggregated;
  PERF_TRY(ranks_.call(test, Place::out, 0, together));
  PERF_TRY(team_.barrier());
  const double begun = monotonic_seconds();
  for (int i = 0; i < calls; ++i)
    PERF_TRY(ranks_.call(test, Place::out, static_cast<std::size_t>(i) * together, together));
  return team_.combined(thread_, (monotonic_seconds() - begun) / calls / together, how);
}

// By the slowest rank, which all ranks hear of, so that all count alike.
Result<int> Contest::calls_of_a_point(const Case& test, std::size_t contender) {
  for (double calls = 1;;) {
    const auto each = seconds(test, contender, static_cast<int>(calls), Combine::maximum);
    if (!each) return tl::unexpected(each.error());
    const double fitting = point_seconds / (*each * options_.aggregated);
    if (calls * 2 >= fitting || calls >= most_calls)
      return static_cast<int>(std::clamp(std::ceil(fitting), 1.0, most_calls));
    calls = std::ceil(std::clamp(fitting, calls * 2, calls * 10));
  }
}

Result<Points> Contest::run(const Case& test) {
  std::vector<int> calls;
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    const auto found = calls_of_a_point(test, i);
    if (!found) return tl::unexpected(found.error());
    calls.push_back(*found);
  }
  const auto rounds = static_cast<std::size_t>(options_.rounds);
  auto points = take_turns(
      {.contenders = contenders_.size(),
       .rounds = rounds,
       .most_rounds = rounds * most_rounds_factor,
       .distance = [this] { return team_.measured([this] { return distance_.measure(); }); },
       .run =
           [&](std::size_t contender) {
             return seconds(test, contender, calls[contender],
                            static_cast<Combine>(options_.average));
           }});
  PERF_TRY(use(0, test));
  return points;
}

Result<std::vector<std::size_t>> Contest::wrong(const Case& test, std::uint64_t seed) {
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < contenders_.size(); ++i, ++seed) {
    PERF_TRY(use(i, test));
    PERF_TRY(team_.barrier());
    ranks_.prepare(test, Place::out, seed, Inputs::exact);
    PERF_TRY(ranks_.call(test, Place::out, 0, 1));
    const auto elements = static_cast<double>(ranks_.wrong(test, Place::out, seed));
    const auto sum = team_.combined(thread_, elements, Combine::sum);
    if (!sum) return tl::unexpected(sum.error());
    wrong.push_back(static_cast<std::size_t>(*sum));
  }
  PERF_TRY(use(0, test));
  return wrong;
}

}  // namespace weft::perf
