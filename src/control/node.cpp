#include "control/node.hpp"

#include <algorithm>

#include "control/tree.hpp"

namespace weft::control {
namespace {

constexpr std::size_t most_verdicts = 256, most_results = 64, most_curious = 64;
constexpr Duration calm = std::chrono::milliseconds(100);  // before one looks for a new parent

}  // namespace

Node::Node(const Options& options, Surroundings& around)
    : options_(options), around_(around), fates_(options.processes, Fate::alive) {}

void Node::start(TimePoint now) {
  last_tick_ = now;
  find_parent(now);
  expect_children(now);
}

// ---- links

bool Node::wants(Process peer) const {
  if (peer >= options_.processes || peer == options_.self || links_.contains(peer)) return false;
  return peer > options_.self || !parent_;
}

void Node::linked(Process peer, TimePoint now) {
  if (dialing_ == peer) dialing_.reset();
  if (!wants(peer)) {
    around_.send(peer, Part{});
    return around_.drop(peer);
  }
  links_[peer] = {now, now, now};
  expected_.erase(peer);
  if (is_lost(fates_[peer])) {  // it may not know
    send(peer, Down{peer, fates_[peer], whys_[peer]});
    links_.erase(peer);
    return around_.drop(peer);
  }
  tell_history(peer);
  if (const auto sought = sought_.find(peer); sought != sought_.end() && now < sought->second)
    up(Seen{peer}, now);
  if (peer > options_.self) return;
  parent_ = peer;
  if (std::exchange(is_root_, false)) resign(now);
  unfit_.clear();
  look_for_parent_at_ = TimePoint::max();
  for (const auto& [key, message] : pending_) send(peer, message);
  goodbye_said_ = has_left_;
}

// Either may have heard what the other has not. What is known already is no news to either.
void Node::tell_history(Process peer) {
  Left left;
  for (Process p = 0; p < options_.processes; ++p) {
    if (fates_[p] == Fate::left) left.processes.push_back(p);
    if (is_lost(fates_[p])) send(peer, Down{p, fates_[p], whys_[p]});
  }
  if (!left.processes.empty()) send(peer, left);
  for (const auto& [comm, verdict] : verdicts_) send(peer, verdict);
  for (const Gathered& result : results_) send(peer, result);
}

void Node::ended(Process peer, const std::string& why, bool is_proof, TimePoint now) {
  const auto link = links_.find(peer);
  if (link == links_.end()) return;
  const TimePoint since = link->second.since;
  links_.erase(link);
  const bool was_parent = parent_ == peer;
  if (was_parent) parent_.reset();
  if (fates_[peer] == Fate::alive) {
    if (is_proof) {
      suspect(peer, Fate::killed, why, now);
    } else if (!was_parent) {  // not at once where it ends again and again
      expected_[peer] = {std::max(now, since + options_.beat())};
    } else if (!dialing_) {
      dialing_ = peer;
      return around_.dial(peer);
    }
  }
  // Who has only left may be the first of many: no rush then.
  if (was_parent) look_for_parent_at_ = now + (fates_[peer] == Fate::left ? calm : Duration(0));
}

void Node::unreached(Process peer, Fate fate, const std::string& why, TimePoint now) {
  if (dialing_ == peer) {
    dialing_.reset();
    unfit_.insert(peer);
    look_for_parent_at_ = now;
  }
  if (fates_[peer] == Fate::alive && !links_.contains(peer)) suspect(peer, fate, why, now);
}

void Node::declined(Process peer) {
  if (const auto at = expected_.find(peer); at != expected_.end())
    at->second = {last_tick_ + options_.timeout / 2, true};
  if (dialing_ != peer) return;
  dialing_.reset();
  unfit_.insert(peer);
  look_for_parent_at_ = last_tick_;
}

void Node::departed(Process peer, TimePoint now) {
  declined(peer);
  expected_.erase(peer);
  if (fates_[peer] != Fate::alive) return;
  fates_[peer] = Fate::left;
  up(Left{{peer}}, now);
}

void Node::suspect(Process peer, Fate fate, const std::string& why, TimePoint now) {
  const Down down{peer, fate, why};
  if (pending_.contains(*key_of(down))) return;
  up(down, now);
}

void Node::find_parent(TimePoint now) {
  look_for_parent_at_ = TimePoint::max();
  if (parent_ || dialing_ || is_root_) return;
  const auto fits = [&](Process p) { return !unfit_.contains(p) && !is_lost(fates_[p]); };
  auto next =
      first_parent(options_.self, [&](Process p) { return fits(p) && fates_[p] == Fate::alive; });
  if (!next) next = first_parent(options_.self, fits);  // who has left may still pass things on
  if (!next) return become_root(now);
  dialing_ = next;
  around_.dial(*next);
}

void Node::become_root(TimePoint now) {
  is_root_ = true;
  unfit_.clear();
  const auto undecided = std::exchange(pending_, {});
  for (const auto& [key, message] : undecided) decide(message, now);
}

// Those that should come to us by now, and have not.
void Node::expect_children(TimePoint now) {
  const auto alive = [&](Process p) { return fates_[p] == Fate::alive; };
  for (Process p = options_.self + 1; p < options_.processes; ++p)
    if (alive(p) && !links_.contains(p) && !expected_.contains(p) &&
        first_parent(p, alive) == options_.self)
      expected_[p] = {now + std::min<Duration>(options_.timeout / 2, std::chrono::seconds(1))};
  std::erase_if(expected_, [&](const auto& each) { return !alive(each.first); });
}

// Something is wrong: who has not come yet is called at once.
void Node::hurry(TimePoint now) {
  for (auto& [peer, expected] : expected_)
    if (!expected.elsewhere) expected.at = std::min(expected.at, now);
}

bool Node::expects_nobody() const {
  return std::all_of(expected_.begin(), expected_.end(),
                     [](const auto& each) { return each.second.elsewhere; });
}

// ---- time

TimePoint Node::tick(TimePoint now) {
  // Who has slept himself has heard nobody, which says nothing about them.
  const Duration slept = now - last_tick_;
  if (slept > options_.timeout / 2) {
    for (auto& [peer, link] : links_) link.heard = now;
    for (auto& [peer, expected] : expected_) expected.at += slept;
  }
  last_tick_ = now;
  if (look_for_parent_at_ <= now) find_parent(now);
  bury_the_silent(now);
  TimePoint next = std::min(look_for_parent_at_, now + options_.beat());
  for (auto& [peer, link] : links_) {
    if (link.said + options_.beat() <= now) send(peer, Beat{});
    next = std::min({next, link.said + options_.beat(), link.heard + options_.timeout});
  }
  for (auto& [peer, expected] : expected_) {
    if (expected.at <= now) {
      expected.at = now + options_.timeout / 2;
      around_.dial(peer);
    }
    next = std::min(next, expected.at);
  }
  return std::min(next, decide_due(now));
}

void Node::bury_the_silent(TimePoint now) {
  std::vector<Process> silent;
  for (const auto& [peer, link] : links_)
    if (link.heard + options_.timeout <= now) silent.push_back(peer);
  for (const Process peer : silent) {
    const bool was_parent = parent_ == peer;
    if (fates_[peer] == Fate::alive) {
      const auto [fate, why] = around_.examine(peer);
      if (!is_doubtful(fate)) send(peer, Down{peer, fate, why});  // should it wake up, it knows
      suspect(peer, fate, why, now);
    }
    if (!links_.erase(peer)) continue;  // decided, and dropped
    around_.drop(peer);
    if (!was_parent) continue;
    parent_.reset();
    unfit_.insert(peer);
    find_parent(now);
  }
}

// ---- messages

void Node::send(Process to, const Message& message) {
  if (const auto link = links_.find(to); link != links_.end()) link->second.said = last_tick_;
  around_.send(to, message);
}

void Node::down(const Message& message) {
  std::vector<Process> children;
  for (const auto& [peer, link] : links_)
    if (peer > options_.self) children.push_back(peer);
  for (const Process child : children) send(child, message);
}

// What a new parent must hear again if no decision has come.
std::optional<Node::Key> Node::key_of(const Message& message) {
  const std::size_t type = message.index();
  if (const auto* m = std::get_if<Down>(&message)) return Key{type, m->process, 0, 0};
  if (const auto* m = std::get_if<Left>(&message); m && m->processes.size() == 1)
    return Key{type, m->processes[0], 0, 0};
  if (const auto* m = std::get_if<Report>(&message)) return Key{type, m->comm, m->rank, 0};
  if (const auto* m = std::get_if<Contribution>(&message))
    return Key{type, m->comm, m->exchange, m->rank};
  return std::nullopt;
}

void Node::up(Message message, TimePoint now) {
  if (is_root_) return decide(message, now);
  if (const auto key = key_of(message)) pending_[*key] = message;
  if (parent_) send(*parent_, message);
}

void Node::received(Process from, Message message, TimePoint now) {
  const auto link = links_.find(from);
  if (link == links_.end()) return;
  link->second.heard = now;
  if (std::holds_alternative<Beat>(message)) return;
  if (std::holds_alternative<Part>(message)) {
    links_.erase(from);
    if (parent_ == from) {
      parent_.reset();
      look_for_parent_at_ = now;
    }
    return around_.drop(from);
  }
  if (const auto* left = std::get_if<Left>(&message);
      left && from > options_.self && left->processes == std::vector<Process>{from})
    fates_[from] = std::max(fates_[from], Fate::left);  // at once: its link may end next
  if (const auto* asked = std::get_if<Inquire>(&message);
      asked && asked->told && curious_.size() < most_curious)
    curious_[asked->comm].insert(from);
  if (from > options_.self) return up(std::move(message), now);
  pass_down(message, now);
}

// ---- decisions

// From above.
void Node::pass_down(const Message& message, TimePoint now) {
  if (const auto* m = std::get_if<Down>(&message)) return apply(*m, now);
  if (const auto* m = std::get_if<Left>(&message)) return apply(*m, now);
  if (const auto* m = std::get_if<Verdict>(&message)) return apply(*m);
  if (const auto* m = std::get_if<Gathered>(&message)) return apply(*m);
  if (const auto* m = std::get_if<Seek>(&message)) return apply(*m, now);
  if (const auto* m = std::get_if<Seen>(&message)) return apply(*m);
  if (const auto* m = std::get_if<Ask>(&message)) {
    hurry(now);
    down(*m);
    around_.asked(*m);
  }
  if (const auto* m = std::get_if<Survey>(&message)) return tell(*m);
  if (const auto* m = std::get_if<Lacking>(&message)) {
    down(*m);
    around_.lacked(*m);
  }
}

// Of interest only where somebody has asked.
void Node::tell(const Survey& survey) {
  if (auto asked = curious_.extract(survey.comm))
    for (const Process child : asked.mapped()) send(child, survey);
  around_.surveyed(survey);
}

// One that cannot be reached from everywhere finds another parent, or has one.
void Node::apply(const Seek& seek, TimePoint now) {
  down(seek);
  if (seek.process >= options_.processes) return;
  sought_[seek.process] = now + options_.timeout;
  const auto link = links_.find(seek.process);
  const bool heard = link != links_.end() && now - link->second.heard < 2 * options_.beat();
  if (heard || seek.process == options_.self) up(Seen{seek.process}, now);
}

void Node::apply(const Seen& seen) {
  pending_.erase(*key_of(Down{seen.process, Fate::alive, {}}));
  doubts_.erase(seen.process);
  sought_.erase(seen.process);
  down(seen);
}

void Node::apply(const Down& told, TimePoint now) {
  if (told.process >= options_.processes || is_lost(fates_[told.process])) return;
  if (fates_[told.process] == Fate::left) {  // who suspects it has not heard of that
    if (is_root_) down(Left{{told.process}});
    return;
  }
  fates_[told.process] = told.fate;
  whys_[told.process] = told.why;
  pending_.erase(*key_of(told));
  down(told);
  if (told.process < options_.self && links_.contains(told.process)) send(told.process, told);
  if (links_.erase(told.process)) around_.drop(told.process);
  if (parent_ == told.process) {
    parent_.reset();
    look_for_parent_at_ = now;
  }
  around_.fell(told);
  settle_reports_of(told.process);
  expect_children(now);
  if (is_root_) recheck_exchanges();
}

// The loss of a member is all the verdict that a communicator needs.
void Node::settle_reports_of(Process lost) {
  const auto holds = [&](const Members& members) {
    return std::find(members.begin(), members.end(), lost) != members.end();
  };
  std::erase_if(pending_, [&](const auto& each) {
    const auto* report = std::get_if<Report>(&each.second);
    return report && holds(report->members);
  });
  std::erase_if(cases_, [&](const auto& each) { return holds(each.second.report.members); });
}

void Node::note_left(const std::vector<Process>& processes) {
  for (const Process p : processes) {
    if (p >= options_.processes) continue;
    if (fates_[p] == Fate::alive) fates_[p] = Fate::left;
    pending_.erase(*key_of(Down{p, Fate::left, {}}));
    pending_.erase(*key_of(Left{{p}}));
  }
}

void Node::apply(const Left& left, TimePoint now) {
  note_left(left.processes);
  down(left);
  expect_children(now);
  if (is_root_) recheck_exchanges();
}

void Node::apply(const Verdict& verdict) {
  if (!verdicts_.emplace(verdict.comm, verdict).second) return;
  verdict_order_.push_back(verdict.comm);
  if (verdict_order_.size() > most_verdicts) {
    verdicts_.erase(verdict_order_.front());
    verdict_order_.pop_front();
  }
  std::erase_if(pending_, [&](const auto& each) {
    const auto* report = std::get_if<Report>(&each.second);
    return report && report->comm == verdict.comm;
  });
  down(verdict);
  around_.judged(verdict);
}

void Node::apply(const Gathered& gathered) {
  const auto same = [&](const Gathered& known) {
    return known.comm == gathered.comm && known.exchange == gathered.exchange;
  };
  if (std::any_of(results_.begin(), results_.end(), same)) return;
  keep(results_, gathered);
  std::erase_if(pending_, [&](const auto& each) {
    const auto* part = std::get_if<Contribution>(&each.second);
    return part && part->comm == gathered.comm && part->exchange == gathered.exchange;
  });
  down(gathered);
  around_.gathered(gathered);
}

// ---- leaving

void Node::leave(TimePoint now) {
  if (std::exchange(has_left_, true)) return;
  if (fates_[options_.self] == Fate::alive) fates_[options_.self] = Fate::left;
  const Left left{{options_.self}};
  if (is_root_) {
    leavers_.push_back(options_.self);
    return tell_leavers();
  }
  up(left, now);
  down(left);
  goodbye_said_ = parent_.has_value();
}

void Node::exit() {
  tell_leavers();
  if (fates_[options_.self] != Fate::alive) return;
  const Down last{options_.self, Fate::exited, {}};
  for (const auto& [peer, link] : links_) around_.send(peer, last);
}

// Those that have not come yet must hear it before they find nobody.
bool Node::is_done() const {
  return has_left_ && has_said_goodbye() && expects_nobody() &&
         std::none_of(links_.begin(), links_.end(),
                      [&](const auto& each) { return each.first > options_.self; });
}

// Nobody begins an exchange before all have heard of the one before the last.
void keep(std::deque<Gathered>& results, const Gathered& result) {
  std::erase_if(results, [&](const Gathered& old) {
    return old.comm == result.comm && old.exchange + 2 <= result.exchange;
  });
  results.push_back(result);
  if (results.size() > most_results) results.pop_front();
}

}  // namespace weft::control
