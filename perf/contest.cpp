#include "perf/contest.hpp"

#include <algorithm>
#include <cmath>

#include "perf/combinations.hpp"
#include "perf/timing.hpp"

namespace weft::perf {
namespace {

constexpr double point_seconds = 2e-3;
constexpr double most_calls = 1 << 20;
constexpr int most_rounds_factor = 4;

void say_once(std::string& text, const std::string& more) {
  if (text.find(more) != std::string::npos) return;
  text += (text.empty() ? "" : "; ") + more;
}

bool is_worth_a_turn(const Runner& runner, const Collective& collective, const Case& test) {
  const Peer* peer = runner.peer;
  return !peer || !peer->fits || runner.form == own_choice ||
         peer->fits(collective.kind, runner.form, test.bytes());
}

}  // namespace

std::string refusal(const Contender& contender, const Collective& collective, const Case& test) {
  const std::string& name = contender.entrant.name;
  if (contender.grouped && test.bytes() > grouped_bytes)
    return fmt::format("{} is of messages up to {} B", name, grouped_bytes);
  if (contender.type && (!collective.moves || !goes_with(*test.op, *contender.type)))
    return fmt::format("{} has no {}", name, collective.reduces ? test.op->name : collective.name);
  const Peer* peer = contender.runner.peer;
  if (!peer || ((peer->uneven || !collective.uneven) && !test.op->premultiplied &&
                peer->supports(collective.kind, test.type->type, test.op->op)))
    return "";
  if (!collective.reduces) return fmt::format("{} has no {}", name, collective.name);
  return fmt::format("{} has no {} of {}", name, test.op->name, test.type->name);
}

Case Contest::case_of(const Contender& contender, const Case& test) const {
  if (!contender.type) return test;
  Case other = test;
  other.type = contender.type;
  other.layout =
      collective_.layout(test.bytes() / other.type->bytes, other.type->bytes, ranks_.all_ranks());
  return other;
}

Status Contest::use(const Contender& contender, const Case& test) {
  ranks_.use(contender.runner);
  ranks_.align_for(*test.type, contender.shift);
  return ranks_.make_operators(test);
}

int Contest::operations(const Contender& contender) const {
  return contender.grouped ? grouped_operations : options_.aggregated;
}

Status Contest::call(const Contender& contender, const Case& test, std::size_t iteration) {
  if (contender.grouped) return ranks_.groups(test);
  const int together = options_.aggregated;
  return ranks_.call(test, Place::out, iteration * together, together);
}

// Of one operation, after one call that is not timed.
Result<double> Contest::seconds(const Case& row, const Contender& contender, int calls,
                                Combine how) {
  const Case test = case_of(contender, row);
  PERF_TRY(use(contender, test));
  PERF_TRY(call(contender, test, 0));
  PERF_TRY(team_.barrier());
  const double begun = monotonic_seconds();
  for (int i = 0; i < calls; ++i) PERF_TRY(call(contender, test, i));
  const double taken = monotonic_seconds() - begun;
  return team_.combined(thread_, taken / calls / operations(contender), how);
}

// By the slowest rank, which all ranks hear of, so that all count alike.
Result<int> Contest::calls_of_a_point(const Case& test, const Contender& contender) {
  for (double calls = 1;;) {
    const auto each = seconds(test, contender, static_cast<int>(calls), Combine::maximum);
    if (!each) return tl::unexpected(each.error());
    const double fitting = point_seconds / (*each * operations(contender));
    if (calls * 2 >= fitting || calls >= most_calls)
      return static_cast<int>(std::clamp(std::ceil(fitting), 1.0, most_calls));
    calls = std::ceil(std::clamp(fitting, calls * 2, calls * 10));
  }
}

Status Contest::pick(const Case& test, Verdict& verdict) {
  parts_.clear();
  for (const Contender& contender : field_.contenders) {
    const std::string why = refusal(contender, collective_, test);
    if (!why.empty()) say_once(verdict.refusal, why);
    if (!why.empty() || !is_worth_a_turn(contender.runner, collective_, test)) continue;
    parts_.push_back({&contender});
    verdict.entrants.push_back(contender.entrant);
  }
  if (parts_.size() < 2) return {};
  for (Part& part : parts_) {
    const auto found = calls_of_a_point(test, *part.contender);
    if (!found) return tl::unexpected(found.error());
    part.calls = *found;
  }
  return {};
}

Result<Points> Contest::turns(const Case& test) {
  const auto rounds = static_cast<std::size_t>(options_.rounds);
  return take_turns({.contenders = parts_.size(),
                     .rounds = rounds,
                     .most_rounds = rounds * most_rounds_factor,
                     .distance =
                         [this] {
                           Distance& distance = *field_.distance;
                           return team_.measured([&distance] { return distance.measure(); });
                         },
                     .run =
                         [&](std::size_t i) {
                           return seconds(test, *parts_[i].contender, parts_[i].calls,
                                          static_cast<Combine>(options_.average));
                         }});
}

// One call of each, on inputs whose result is known.
Status Contest::check(const Case& row, std::uint64_t seed, Verdict& verdict) {
  for (const Part& part : parts_) {
    const Case test = case_of(*part.contender, row);
    PERF_TRY(use(*part.contender, test));
    PERF_TRY(team_.barrier());
    ranks_.prepare(test, Place::out, ++seed, Inputs::exact);
    PERF_TRY(ranks_.call(test, Place::out, 0, 1));  // alone: a group writes behind the first result
    const auto elements = static_cast<double>(ranks_.wrong(test, Place::out, seed));
    const auto wrong = team_.combined(thread_, elements, Combine::sum);
    if (!wrong) return tl::unexpected(wrong.error());
    if (*wrong == 0) continue;
    ++errors_;
    const Entrant& entrant = part.contender->entrant;
    say_once(verdict.refusal, fmt::format("{}: {} wrong elements", full_name(entrant), *wrong));
  }
  return {};
}

Result<Verdict> Contest::run(const Case& test, std::uint64_t seed) {
  Verdict verdict;
  PERF_TRY(pick(test, verdict));
  if (parts_.size() < 2) return verdict;
  const auto points = turns(test);
  if (!points) return tl::unexpected(points.error());
  verdict.states = points->states(static_cast<std::size_t>(options_.rounds));
  verdict.dropped = points->dropped();
  if (options_.checks) PERF_TRY(check(test, seed, verdict));
  PERF_TRY(use(field_.contenders[0], test));
  return verdict;
}

}  // namespace weft::perf
