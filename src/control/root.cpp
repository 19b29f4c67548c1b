// What the root of the tree decides: who is lost, why a communicator cannot go on, who is there.
#include <algorithm>

#include "control/node.hpp"

namespace weft::control {
namespace {

// For the news of a death, which tells more than a broken connection.
constexpr Duration for_a_death = std::chrono::milliseconds(600);
// For the next answer; who is far away answers later than who is near, and not much later.
constexpr Duration for_answers = std::chrono::milliseconds(550),
                   for_all_answers = std::chrono::milliseconds(900);
constexpr Duration between_batches = std::chrono::milliseconds(50);  // of those that leave

}  // namespace

void Node::decide(const Message& message, TimePoint now) {
  if (const auto* m = std::get_if<Down>(&message))
    return is_doubtful(m->fate) ? doubt(*m, now) : apply(*m, now);
  if (const auto* m = std::get_if<Seen>(&message)) return apply(*m);
  if (const auto* m = std::get_if<Lacking>(&message)) return take_question(*m);
  if (const auto* m = std::get_if<Report>(&message)) return decide_report(*m, now);
  if (const auto* m = std::get_if<Inquire>(&message)) return decide_inquiry(*m, now);
  if (const auto* m = std::get_if<Answer>(&message)) return take_answer(*m, now);
  if (const auto* m = std::get_if<Contribution>(&message)) return take_part(*m);
  if (const auto* m = std::get_if<Verdict>(&message)) return apply(*m);   // a former root's
  if (const auto* m = std::get_if<Gathered>(&message)) return apply(*m);  // a former root's
  if (const auto* m = std::get_if<Left>(&message)) {
    note_left(m->processes);  // at once: their end must not be taken for a death
    leavers_.insert(leavers_.end(), m->processes.begin(), m->processes.end());
    leavers_due_ = std::min(leavers_due_, now + between_batches);
    recheck_exchanges();
  }
}

// Cannot be reached from one place: is it heard of at another? It has had the timeout to find out
// for itself, and looks for another parent then.
void Node::doubt(const Down& told, TimePoint now) {
  if (told.process >= options_.processes || fates_[told.process] != Fate::alive) return;
  const auto [at, fresh] =
      doubts_.try_emplace(told.process, Doubt{told, now + 2 * options_.beat()});
  if (fresh) apply(Seek{told.process}, now);
}

TimePoint Node::decide_doubts(TimePoint now) {
  TimePoint next = TimePoint::max();
  std::vector<Down> certain;
  for (const auto& [process, doubt] : doubts_) {
    if (doubt.due <= now)
      certain.push_back(doubt.told);
    else
      next = std::min(next, doubt.due);
  }
  for (const Down& told : certain) {
    doubts_.erase(told.process);
    apply(told, now);
  }
  return next;
}

void Node::tell_leavers() {
  leavers_due_ = TimePoint::max();
  if (!leavers_.empty()) down(Left{std::exchange(leavers_, {})});
}

// There is somebody above after all: what was undecided is his to decide.
void Node::resign(TimePoint now) {
  for (const Process p : std::exchange(leavers_, {})) up(Left{{p}}, now);
  leavers_due_ = TimePoint::max();
  for (auto& [process, doubt] : std::exchange(doubts_, {})) up(std::move(doubt.told), now);
  for (auto& [comm, held] : std::exchange(cases_, {})) up(std::move(held.report), now);
  for (auto& [key, exchange] : std::exchange(exchanges_, {}))
    for (auto& [rank, blob] : exchange.blobs)
      up(Contribution{key.first, key.second, rank, std::move(blob), exchange.members}, now);
  surveys_.clear();
}

bool Node::has_lost(const Members& members) const {
  return std::any_of(members.begin(), members.end(),
                     [&](Process p) { return p < options_.processes && is_lost(fates_[p]); });
}

void Node::judge(Verdict verdict) {
  cases_.erase(verdict.comm);
  apply(verdict);
}

void Node::record(CommId comm, const Members& members, const std::string& verdict, TimePoint now) {
  if (!is_root_) return;
  Open& open = surveys_[open_survey(comm, latest_call, members, now)];
  open.survey.verdict = verdict;
  open.records = true;
}

void Node::decide_report(const Report& report, TimePoint now) {
  // Everybody has been told already.
  if (verdicts_.contains(report.comm) || has_lost(report.members)) return;
  if (report.evidence == Evidence::certain) return judge({report.comm, report.code, report.text});
  const auto [at, fresh] = cases_.try_emplace(report.comm, Case{report, TimePoint::max()});
  if (!fresh) return;
  at->second.ticket = open_survey(report.comm, report.call, report.members, now);
  Open& open = surveys_[at->second.ticket];
  open.judges = true;
  if (report.evidence == Evidence::broken) at->second.due = now + for_a_death;
}

// What the ledgers say of a case, beside what its reporter said.
Verdict Node::opinion(const Report& report, const Diagnosis& found) {
  // A connection that broke speaks for itself: who does not answer may only be slow.
  const bool explained = report.evidence == Evidence::timed_out ? found.kind != Diagnosis::nothing
                                                                : found.kind == Diagnosis::mismatch;
  // The other end of a link is who speaks of it.
  if (!explained)
    return {report.comm, report.code, fmt::format("rank {} says: {}", report.rank, report.text)};
  if (found.kind == Diagnosis::mismatch) return {report.comm, u8(found.code), found.text};
  return {report.comm, report.code,
          fmt::format("{}; rank {} says: {}", found.text, report.rank, report.text)};
}

void Node::decide_inquiry(const Inquire& inquiry, TimePoint now) {
  for (auto& [ticket, open] : surveys_)  // one at a time answers everybody who asks the same
    if (open.survey.comm == inquiry.comm && open.survey.verdict.empty()) {
      open.told |= inquiry.told;
      open.accuse |= inquiry.accuse;
      return;
    }
  Open& open = surveys_[open_survey(inquiry.comm, inquiry.call, inquiry.members, now)];
  open.accuse = inquiry.accuse;
  open.told = inquiry.told;
}

u64 Node::open_survey(CommId comm, u64 call, const Members& members, TimePoint now) {
  const u64 ticket = ++tickets_;
  Open& open = surveys_[ticket];
  open.survey.comm = comm;
  open.survey.members = members;
  for (const Process p : members)
    if (p < options_.processes && fates_[p] == Fate::alive) open.awaited.insert(p);
  open.due = now + for_answers;
  open.latest = now + for_all_answers;
  hurry(now);
  const Ask ask{ticket, comm, call};
  down(ask);
  around_.asked(ask);
  return ticket;
}

void Node::take_answer(const Answer& answer, TimePoint now) {
  const auto at = surveys_.find(answer.ticket);
  if (at == surveys_.end() || !at->second.awaited.erase(answer.process)) return;
  auto& entries = at->second.survey.entries;
  entries.insert(entries.end(), answer.entries.begin(), answer.entries.end());
  at->second.due = at->second.awaited.empty() ? TimePoint::min()  // at the next tick
                                              : std::min(at->second.latest, now + for_answers);
}

void Node::close_survey(u64 ticket, TimePoint) {
  Open open = std::move(surveys_.extract(ticket).mapped());
  for (const Process p : open.awaited)
    if (fates_[p] == Fate::alive) open.survey.silent.push_back(p);
  const CommId comm = open.survey.comm;
  if (open.told) tell(open.survey);
  if (open.records) around_.recorded(open.survey);
  if (!open.judges && !open.accuse) return;
  if (verdicts_.contains(comm)) return;
  const Diagnosis found =
      diagnose(open.survey, [&](Process process) { return around_.describe(process); });
  const auto held = cases_.find(comm);
  if (held != cases_.end() && held->second.ticket == ticket) {
    Case& at = held->second;
    at.opinion = opinion(at.report, found);
    // Where all have answered nobody has died: there is nothing else to wait for.
    if (at.due == TimePoint::max() || open.awaited.empty()) judge(*at.opinion);
  } else if (open.accuse && found.kind == Diagnosis::mismatch) {
    judge({comm, u8(found.code), found.text});
  }
}

void Node::take_part(const Contribution& part) {
  const auto known = std::find_if(results_.begin(), results_.end(), [&](const Gathered& result) {
    return result.comm == part.comm && result.exchange == part.exchange;
  });
  if (known != results_.end()) return down(*known);  // who asks may have missed it
  Exchange& exchange = exchanges_[{part.comm, part.exchange}];
  exchange.members = part.members;
  if (part.rank < part.members.size()) exchange.blobs[part.rank] = part.blob;
  complete(part.comm, part.exchange);
}

// Everybody who is still there has come: all hear of it.
void Node::complete(CommId comm, u64 number) {
  const Exchange& exchange = exchanges_[{comm, number}];
  for (u32 rank = 0; rank < exchange.members.size(); ++rank) {
    const Process p = exchange.members[rank];
    if (p < options_.processes && fates_[p] == Fate::alive && !exchange.blobs.contains(rank))
      return;
  }
  Gathered gathered{comm, number, {}};
  for (const auto& [rank, blob] : exchange.blobs)
    if (fates_[exchange.members[rank]] == Fate::alive) gathered.blobs.emplace_back(rank, blob);
  exchanges_.erase({comm, number});
  apply(gathered);
}

void Node::take_question(const Lacking& question) {
  const auto at = exchanges_.find({question.comm, question.exchange});
  if (at == exchanges_.end()) return;
  Lacking answer{question.comm, question.exchange, {}};
  for (u32 rank = 0; rank < at->second.members.size(); ++rank) {
    const Process p = at->second.members[rank];
    if (p < options_.processes && fates_[p] == Fate::alive && !at->second.blobs.contains(rank))
      answer.ranks.push_back(rank);
  }
  down(answer);
  around_.lacked(answer);
}

void Node::recheck_exchanges() {
  std::vector<std::pair<CommId, u64>> open;
  for (const auto& [key, exchange] : exchanges_) open.push_back(key);
  for (const auto& [comm, number] : open) complete(comm, number);
}

TimePoint Node::decide_due(TimePoint now) {
  if (leavers_due_ <= now) {
    tell_leavers();
    expect_children(now);
  }
  TimePoint next = std::min(leavers_due_, decide_doubts(now));
  std::vector<u64> answered;
  for (const auto& [ticket, open] : surveys_) {
    if (open.due <= now)
      answered.push_back(ticket);
    else
      next = std::min(next, open.due);
  }
  for (const u64 ticket : answered) close_survey(ticket, now);
  std::vector<Verdict> due;
  for (auto& [comm, held] : cases_) {
    if (held.due > now)
      next = std::min(next, held.due);
    else if (held.opinion)
      due.push_back(*held.opinion);
    else
      held.due = TimePoint::max();  // the ledgers are on their way
  }
  for (Verdict& verdict : due) judge(std::move(verdict));
  return next;
}

}  // namespace weft::control
