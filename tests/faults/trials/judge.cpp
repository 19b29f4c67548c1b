#include "judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace weft::trials {
namespace {

// Time beyond the timeout of a call in which it has to end; a destruction waits for others for ten
// seconds.
constexpr double grace = 2, longest_leaving = 10 + grace;

bool is_gone(What what) {
  return what == What::kill || what == What::freeze || what == What::leave;
}

// Everything that others need of the culprit may have been done when it was struck.
bool may_be_over(const Plan& plan, const Report& culprit) {
  if (plan.when == When::destroy) return true;
  return culprit.phase >= Phase::leaving || culprit.call >= plan.calls;
}

// "rank 3" gives 3; "ranks 0 and 4", "ranks 2, 3, 6" give all of them.
std::vector<u32> numbers_in(const std::string& text) {
  static const std::regex named("ranks? (\\d+(?:(?:, | and )\\d+)*)"), number("\\d+");
  std::vector<u32> ranks;
  for (std::sregex_iterator at(text.begin(), text.end(), named), end; at != end; ++at) {
    const std::string list = (*at)[1];
    for (std::sregex_iterator one(list.begin(), list.end(), number); one != end; ++one)
      ranks.push_back(u32(std::stoul(one->str())));
  }
  return ranks;
}

Judgement judge_survivor(const Plan& plan, u32 rank, const Report& report, const Report& culprit) {
  const auto say = [&](Verdict verdict) {
    return Judgement{verdict, fmt::format("rank {} after {:.1f} s: {}", rank, report.seconds,
                                          report.result ? report.error : "no error")};
  };
  if (report.wrong) return say(Verdict::damaged);
  if (report.seconds > timeout + grace || report.leaving > longest_leaving)
    return say(Verdict::late);
  if (plan.is_harmless()) return say(report.result ? Verdict::damaged : Verdict::right);
  if (!report.result) return say(may_be_over(plan, culprit) ? Verdict::right : Verdict::missed);
  const std::vector<u32> named = ranks_named(report.error);
  const bool first = !named.empty() && named.front() == plan.culprit;
  // A link has two ends, one of which may be who speaks; a rank whose links are all silent looks
  // like one of them.
  const std::vector<u32> all = numbers_in(report.error);
  const bool among = std::ranges::find(all, plan.culprit) != all.end();
  if (first || (plan.is_of_a_link() && among)) return say(Verdict::right);
  return say(named.empty() ? Verdict::unnamed : Verdict::wrong);
}

}  // namespace

const char* name_of(Verdict verdict) {
  constexpr const char* names[] = {"right",  "spared",  "unnamed", "wrong",
                                   "missed", "damaged", "late",    "hung"};
  return names[int(verdict)];
}

std::vector<u32> ranks_named(const std::string& error) {
  static const std::regex speakers(
      "^(weft: )?(rank \\d+: )?(told by rank \\d+: |rank \\d+ says: )?(rank \\d+: )?");
  return numbers_in(
      std::regex_replace(error, speakers, "", std::regex_constants::format_first_only));
}

Judgement judge(const Plan& plan, const Report* reports, const std::vector<bool>& ended) {
  const Report& culprit = reports[plan.culprit];
  Judgement worst;
  u32 errors = 0;
  for (u32 rank = 0; rank < plan.ranks; ++rank) {
    if (rank == plan.culprit && (is_gone(plan.what) || plan.what == What::absent)) continue;
    if (rank == plan.culprit && plan.what == What::silence) continue;  // hears nothing either
    errors += reports[rank].result != 0;
    const Judgement one = ended[rank]
                              ? judge_survivor(plan, rank, reports[rank], culprit)
                              : Judgement{Verdict::hung, fmt::format("rank {} did not end", rank)};
    if (one.verdict > worst.verdict) worst = one;
  }
  // A link that was never used cannot fail.
  if (worst.verdict == Verdict::missed && errors == 0 && !plan.processes)
    worst.verdict = Verdict::spared;
  return worst;
}

}  // namespace weft::trials
