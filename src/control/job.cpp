#include "control/job.hpp"

#include <algorithm>

namespace weft::control {
namespace {

// For who drives an engine to come by: a sleep of his, and a busy machine.
constexpr Duration to_publish = std::chrono::milliseconds(150);
constexpr Duration to_be_made = std::chrono::milliseconds(100);
constexpr Duration to_be_heard = std::chrono::milliseconds(300);
constexpr std::size_t most_leaving = 16;
// Of what a peer does not take: far more than there ever is to say.
constexpr std::size_t most_unsent = 64u << 20;

// What /proc says of a process that does nothing.
std::optional<std::string> standstill(const Place& place) {
  const char state = place.is_here ? state_of(place.pid) : '\0';
  if (state == 'T' || state == 't') return ": it is stopped, by a signal or a debugger";
  if (state == 'D') return ": it hangs in the kernel";
  return std::nullopt;
}

}  // namespace

Job::Job(JobPlan plan)
    : plan_(std::move(plan)),
      node_(
          {.self = plan_.self, .processes = u32(plan_.processes.size()), .timeout = plan_.timeout},
          *this) {}

// Not at once: others are still making the communicator, on cores that they may share with us.
void Job::start(TimePoint now) {
  link_at_ = now + to_be_made;
  if (plan_.self == 0) notes_.push_back({.job = hex(plan_.id), .processes = plan_.processes});
}

// ---- ranks of this process

void Job::add(CommId comm, const Members& members, u32 rank, Subject& subject, TimePoint now) {
  Group& group = groups_.try_emplace(comm, comm, members).first->second;
  group.add(rank, subject, now);
  for (const Process p : members)  // it may have been lost while the communicator was made
    if (is_lost(node_.fate(p)))
      return condemn(
          group, {Code::remote_error, sentence_of(node_.down_of(p), members, describe(p))}, now);
}

void Job::remove(CommId comm, u32 rank, TimePoint now) {
  const auto at = groups_.find(comm);
  if (at == groups_.end()) return;
  if (at->second.verdict()) linger_until_ = now + to_be_heard;
  at->second.remove(rank);
  if (at->second.empty()) groups_.erase(at);
  if (!groups_.empty()) return;
  link_now(now);
  node_.leave(now);
}

void Job::report(Report report, TimePoint now) {
  const auto at = groups_.find(report.comm);
  if (at == groups_.end() || at->second.verdict()) return;
  report.members = at->second.members();
  if (report.text.size() > most_text_bytes) report.text.resize(most_text_bytes);
  link_now(now);
  node_.report(std::move(report), now);
}

void Job::contribute(Contribution part, TimePoint now) {
  link_now(now);
  node_.contribute(std::move(part), now);
}

void Job::link_now(TimePoint now) {
  if (link_at_ == TimePoint::max()) return;
  link_at_ = TimePoint::max();
  node_.start(now);
}

const Gathered* Job::result(CommId comm, u64 exchange) const {
  for (const Gathered& result : results_)
    if (result.comm == comm && result.exchange == exchange) return &result;
  return nullptr;
}

void Job::ask_who_lacks(CommId comm, u64 exchange, TimePoint now) {
  lacking_.reset();
  node_.inquire(Lacking{comm, exchange, {}}, now);
}

const std::vector<u32>* Job::lacking(CommId comm, u64 exchange) const {
  const bool is_it = lacking_ && lacking_->comm == comm && lacking_->exchange == exchange;
  return is_it ? &lacking_->ranks : nullptr;
}

const Error* Job::verdict(CommId comm) const {
  const auto at = groups_.find(comm);
  return at != groups_.end() && at->second.verdict() ? &*at->second.verdict() : nullptr;
}

void Job::survey(TimePoint now) {
  link_now(now);
  surveys_.clear();
  for (const auto& [id, group] : groups_)
    node_.inquire({id, latest_call, false, true, group.members()}, now);
}

std::string Job::describe(Process process) {
  const Place& place = plan_.processes[process];
  return fmt::format("process {} on {}", place.pid, place.host);
}

// ---- links

Welcome Job::welcome(Process from) const {
  if (!node_.wants(from)) return Welcome::declined;
  // Of two that call each other at once the call of the higher one stays.
  const auto calling = callers_.find(from);
  const bool busy = calling != callers_.end() && calling->second.is_trying();
  return busy && from < plan_.self ? Welcome::declined : Welcome::yes;
}

void Job::adopt(Process from, Line line, TimePoint now) {
  callers_.erase(from);
  lines_.insert_or_assign(from, std::move(line));
  node_.linked(from, now);
}

void Job::send(Process to, const Message& message) {
  const auto line = lines_.find(to);
  if (line == lines_.end()) return;
  line->second.stream.put(line->second.out.close(encode(message)));
  line->second.stream.move();
}

void Job::dial(Process to) {
  if (lines_.contains(to) || callers_.contains(to)) return;
  callers_.try_emplace(to, plan_.processes[to], plan_.key,
                       Hello{.job = plan_.id, .from = plan_.self, .to = to, .nonce = {}},
                       plan_.timeout, Clock::now());
}

void Job::drop(Process to) {
  const auto line = lines_.find(to);
  if (line == lines_.end()) return;
  if (leaving_.size() == most_leaving) leaving_.erase(leaving_.begin());
  leaving_.push_back(std::move(line->second));
  lines_.erase(line);
}

std::string Job::seen_from_here(const std::string& what) {
  return fmt::format("{}, seen from {}", what, describe(plan_.self));
}

std::pair<Fate, std::string> Job::examine(Process silent) {
  const Place& place = plan_.processes[silent];
  const double seconds = std::chrono::duration<double>(plan_.timeout).count();
  const std::string why = fmt::format("not for {:g} s", seconds);
  if (const auto stands = standstill(place)) return {Fate::frozen, why + *stands};
  if (!place.name.empty()) return {Fate::frozen, why};
  const auto line = lines_.find(silent);
  const bool answers =
      line == lines_.end() || kernel_answers(line->second.stream.fd(), plan_.timeout / 2);
  if (answers) return {Fate::frozen, why};
  return {Fate::unreachable, seen_from_here(why)};
}

bool Job::is_flushed() const {
  const auto flushed = [](const Line& line) {
    return line.stream.ended() || line.stream.unsent() == 0;
  };
  return std::all_of(lines_.begin(), lines_.end(),
                     [&](const auto& each) { return flushed(each.second); }) &&
         std::all_of(leaving_.begin(), leaving_.end(), flushed);
}

void Job::exit() {
  exiting_ = true;
  node_.exit();
}

// ---- decisions

void Job::condemn(Group& group, Error verdict, TimePoint now) {
  if (group.id() != plan_.id)  // its ranks are numbered in a way of its own
    verdict.text +=
        fmt::format(" (in communicator {} of {} ranks)", hex(group.id()), group.members().size());
  if (!group.condemn(verdict, now)) return;
  node_.record(group.id(), group.members(), verdict.text, now);
  for (const u32 rank : group.ranks_here())
    if (verdict.code != Code::aborted && !exiting_)  // who ends by itself is told nothing
      notes_.push_back({.line = fmt::format("rank {}: {}", rank, verdict.text)});
}

void Job::fell(const Down& down) {
  callers_.erase(down.process);
  const TimePoint now = Clock::now();
  for (auto& [id, group] : groups_) {
    const Members& members = group.members();
    if (std::find(members.begin(), members.end(), down.process) == members.end()) continue;
    std::string text = sentence_of(down, members, describe(down.process));
    if (down.process == plan_.self) text = "the others go on without this rank: " + text;
    condemn(group, {Code::remote_error, std::move(text)}, now);
  }
}

void Job::judged(const Verdict& verdict) {
  if (const auto at = groups_.find(verdict.comm); at != groups_.end())
    condemn(at->second, {Code(verdict.code), verdict.text}, Clock::now());
}

void Job::asked(const Ask& ask) {
  if (const auto at = groups_.find(ask.comm); at != groups_.end()) at->second.ask(ask.call);
  due_.push_back({ask, Clock::now() + to_publish});
}

void Job::gathered(const Gathered& gathered) { keep(results_, gathered); }

// ---- the loop

void Job::watch(std::vector<pollfd>& polled) const {
  for (const auto& [peer, line] : lines_) polled.push_back(line.stream.watched());
  for (const Line& line : leaving_) polled.push_back(line.stream.watched());
  for (const auto& [peer, caller] : callers_)
    if (const pollfd one = caller.watched(); one.fd >= 0) polled.push_back(one);
}

TimePoint Job::step(TimePoint now) {
  const Duration slept = now - std::exchange(last_step_, now);
  if (slept > plan_.timeout / 2)
    for (auto& [peer, caller] : callers_) caller.forgive(slept);
  if (link_at_ <= now) link_now(now);
  node_.tick(now);  // first: who has slept himself must know it before he judges others
  step_callers(now);
  step_lines(now);
  answer_due(now);
  watch_groups(now);
  TimePoint next = std::min(node_.tick(now), next_watch_);
  next = std::min(next, link_at_);
  if (linger_until_ > now) next = std::min(next, linger_until_);
  for (const auto& [peer, caller] : callers_) next = std::min(next, caller.next());
  for (const Due& due : due_) next = std::min(next, due.at);
  return next;
}

void Job::step_callers(TimePoint now) {
  std::vector<Process> called;
  for (const auto& [peer, caller] : callers_) called.push_back(peer);
  for (const Process peer : called) {
    const auto at = callers_.find(peer);
    if (at == callers_.end()) continue;
    switch (at->second.step(now)) {
      case Caller::Outcome::pending: break;
      case Caller::Outcome::linked: adopt(peer, at->second.take_line(), now); break;
      case Caller::Outcome::declined:
        callers_.erase(at);
        node_.declined(peer);
        break;
      case Caller::Outcome::left:
        callers_.erase(at);
        node_.departed(peer, now);
        break;
      case Caller::Outcome::failed: {
        auto [fate, why] = std::pair(at->second.fate(), at->second.why());
        callers_.erase(at);
        if (const auto stands = standstill(plan_.processes[peer]); stands && is_doubtful(fate))
          std::tie(fate, why) = std::pair(Fate::frozen, why + *stands);
        else if (is_doubtful(fate))
          why = seen_from_here(why);
        node_.unreached(peer, fate, why, now);
      }
    }
  }
}

void Job::step_lines(TimePoint now) {
  std::vector<Process> linked;
  for (const auto& [peer, line] : lines_) linked.push_back(peer);
  for (const Process peer : linked) {
    if (const auto at = lines_.find(peer); at != lines_.end()) at->second.stream.move();
    std::string broken;
    bool is_proof = false;
    // A message may drop any line, this one too.
    for (auto at = lines_.find(peer); at != lines_.end(); at = lines_.find(peer)) {
      Line& line = at->second;
      const auto opened = line.in.open(line.stream.incoming());
      if (opened && opened->bytes == 0) {
        broken = line.stream.reason();
        is_proof = !plan_.processes[peer].name.empty();  // nothing but its kernel ends it
        if (line.stream.unsent() > most_unsent) broken = "it takes nothing of what it is sent";
        break;
      }
      auto message = opened ? decode(opened->payload) : std::nullopt;
      if (!message) {
        broken = "what came over its control link was not from it";
        break;
      }
      line.stream.take(opened->bytes);
      node_.received(peer, std::move(*message), now);
    }
    if (broken.empty() || !lines_.erase(peer)) continue;
    node_.ended(peer, broken, is_proof, now);
  }
  for (Line& line : leaving_) line.stream.move();
  std::erase_if(leaving_,
                [](const Line& line) { return line.stream.ended() || line.stream.unsent() == 0; });
}

void Job::answer_due(TimePoint now) {
  for (std::size_t i = 0; i < due_.size();) {
    if (due_[i].at > now) {
      ++i;
      continue;
    }
    const Ask ask = due_[i].ask;
    due_.erase(due_.begin() + i64(i));
    const auto at = groups_.find(ask.comm);  // without it: well, and not concerned
    node_.answer(
        {ask.ticket, plan_.self, at == groups_.end() ? std::vector<Entry>() : at->second.look(now)},
        now);
  }
}

void Job::watch_groups(TimePoint now) {
  const Duration beat = std::min<Duration>(plan_.timeout / 5, std::chrono::seconds(1));
  if (now < next_watch_) return;
  next_watch_ = now + beat;
  for (auto& [id, group] : groups_)
    if (const auto call = group.watch(now, beat))
      node_.inquire({id, *call, true, false, group.members()}, now);
}

}  // namespace weft::control
