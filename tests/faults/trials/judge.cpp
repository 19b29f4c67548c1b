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

// The first that are named: "rank 3" gives 3; "ranks 0 and 4", "ranks 2, 3, 6" give all of them,
// and "from rank 1 to rank 0" gives 1.
std::vector<u32> first_named(const std::string& text) {
  static const std::regex named("ranks? (\\d+(?:(?:, | and )\\d+)*)"), number("\\d+");
  std::vector<u32> ranks;
  std::smatch found;
  if (!std::regex_search(text, found, named)) return ranks;
  const std::string list = found[1];
  for (std::sregex_iterator one(list.begin(), list.end(), number), end; one != end; ++one)
    ranks.push_back(u32(std::stoul(one->str())));
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
  const Accusation found = accusation_in(report.error);
  // A link has two ends, and no more: whoever is named, and who speaks of what it saw itself. A
  // rank whose links are all silent looks like one of them.
  std::vector<u32> ends = found.ranks;
  if (plan.is_of_a_link() && found.by) ends.push_back(*found.by);
  const bool right = plan.is_of_a_link()
                         ? ends.size() <= 2 && std::ranges::find(ends, plan.culprit) != ends.end()
                         : !ends.empty() && ends.front() == plan.culprit;
  if (right) return say(Verdict::right);
  return say(found.ranks.empty() ? Verdict::unnamed : Verdict::wrong);
}

}  // namespace

const char* name_of(Verdict verdict) {
  constexpr const char* names[] = {"right",  "spared",  "unnamed", "wrong",
                                   "missed", "damaged", "late",    "hung"};
  return names[int(verdict)];
}

Accusation accusation_in(const std::string& error) {
  static const std::regex owner(
      "^(weft: )?(rank (\\d+): )?(the communicator is unusable since an earlier error: "
      "(rank \\d+: )?)?"),
      speaker("^(told by rank (\\d+): |rank (\\d+) says: )?(rank \\d+: )?");
  std::smatch said;
  Accusation found;
  std::regex_search(error, said, owner);
  if (said[3].matched) found.by = u32(std::stoul(said[3]));
  const std::string rest = said.suffix();
  std::regex_search(rest, said, speaker);
  for (const int who : {2, 3})
    if (said[std::size_t(who)].matched) found.by = u32(std::stoul(said[std::size_t(who)]));
  std::string text = said.suffix();
  // What ledgers gave, whoever asked for them.
  static const std::regex finding(
      "^(the path between|ranks? [\\d, and]+ (died|ended|is|are|never|has "
      "started)|call )");
  if (std::regex_search(text, finding)) found.by.reset();
  if (const std::size_t end = text.find("; rank "); end != text.npos) text.resize(end);
  found.ranks = first_named(text);
  return found;
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
