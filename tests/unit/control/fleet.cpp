#include "tests/unit/control/fleet.hpp"

#include <algorithm>
#include <functional>

namespace weft::testing {

using namespace std::chrono_literals;

Fleet::Fleet(u32 processes, u32 seed, Duration timeout)
    : timeout_(timeout),
      state_(processes, State::alive),
      stuck_(processes),
      next_tick_(processes),
      random_(seed) {
  now_ = TimePoint(std::chrono::hours(1));
  for (Process p = 0; p < processes; ++p) {
    ships_.push_back(std::make_unique<Ship>(*this, p, processes, timeout));
    Ship& ship = *ships_.back();
    ship.node.node = std::make_unique<Node>(ship.node.options, ship);
    next_tick_[p] = TimePoint::max();
    later(p, delay() * 20, [this, p] { start(p); });
  }
}

void Fleet::start(Process p) {
  if (next_tick_[p] != TimePoint::max()) return;
  node(p).start(now_);
  next_tick_[p] = now_;
}

void Fleet::leave(Process p) {
  start(p);
  node(p).leave(now_);
}

Duration Fleet::delay() {
  return std::chrono::microseconds(std::uniform_int_distribution(20, 3000)(random_));
}

void Fleet::later(Process where, Duration after, std::function<void()> what) {
  events_.push_back({now_ + after, ++order_, where, std::move(what)});
  std::push_heap(events_.begin(), events_.end(), std::greater<>());
}

// Over a link: never overtakes what was said before.
void Fleet::in_order(Process from, Process to, std::function<void()> what) {
  TimePoint& last = last_[{from, to}];
  last = std::max(last, now_ + delay());
  events_.push_back({last, ++order_, to, std::move(what)});
  std::push_heap(events_.begin(), events_.end(), std::greater<>());
}

void Fleet::carry(Process from, Process to, const Message& message) {
  if (!up_.contains(std::minmax(from, to)) || is_blocked(from, to)) return;
  ++messages_;
  in_order(from, to, [=, this, bytes = encode(message)] {  // also if the link has been cut since
    node(to).received(from, *decode(bytes), now_);
  });
}

void Fleet::dial(Process from, Process to) {
  if (is_blocked(from, to))
    return later(from, timeout_,
                 [=, this] { node(from).unreached(to, Fate::unreachable, "no answer", now_); });
  later(from, delay(), [=, this] {
    if (state_[to] == State::dead) return node(from).unreached(to, Fate::killed, "gone", now_);
    if (state_[to] == State::frozen || next_tick_[to] == TimePoint::max())
      return later(from, 100ms, [=, this] { dial(from, to); });
    if (up_.contains(std::minmax(from, to))) return;
    if (!node(to).wants(from)) return node(from).declined(to);
    up_.insert(std::minmax(from, to));
    in_order(to, from, [=, this] { node(from).linked(to, now_); });
    node(to).linked(from, now_);
  });
}

void Fleet::cut(Process from, Process to) {
  if (!up_.erase(std::minmax(from, to)) || is_blocked(from, to)) return;
  in_order(from, to, [=, this] { node(to).ended(from, "cut", true, now_); });
}

void Fleet::sever(Process a, Process b) {
  if (!up_.erase(std::minmax(a, b))) return;
  in_order(a, b, [=, this] { node(b).ended(a, "reset", false, now_); });
  in_order(b, a, [=, this] { node(a).ended(b, "reset", false, now_); });
}

void Fleet::answer(Process self, const Ask& ask) {
  if (ship(self).answers_nothing) node(self).answer({ask.ticket, self, {}}, now_);
  if (!ship(self).ledger) return;
  later(self, 150ms, [=, this] {
    Entry entry = *ship(self).ledger;
    entry.rank = self;
    node(self).answer({ask.ticket, self, {entry}}, now_);
  });
}

void Fleet::kill(Process p) {
  state_[p] = State::dead;
  std::vector<Process> peers;
  for (const Pair& pair : up_)
    if (pair.first == p || pair.second == p) peers.push_back(pair.first + pair.second - p);
  for (const Process peer : peers) {
    up_.erase(std::minmax(p, peer));
    in_order(p, peer, [=, this] { node(peer).ended(p, "its connection ended", true, now_); });
  }
}

void Fleet::wake(Process p) {
  state_[p] = State::alive;
  next_tick_[p] = now_;
  node(p).tick(now_);
  for (auto& what : std::exchange(stuck_[p], {})) what();
}

void Fleet::deliver(Process where, std::function<void()> what) {
  if (state_[where] == State::frozen) return stuck_[where].push_back(std::move(what));
  if (state_[where] == State::dead) return;
  what();
  if (next_tick_[where] != TimePoint::max()) next_tick_[where] = now_;
}

void Fleet::run(Duration duration) {
  const TimePoint end = now_ + duration;
  while (true) {
    TimePoint tick = end;
    for (Process p = 0; p < size(); ++p)
      if (alive(p)) tick = std::min(tick, next_tick_[p]);
    if (!events_.empty() && events_.front().at <= tick) {
      std::pop_heap(events_.begin(), events_.end(), std::greater<>());
      Event event = std::move(events_.back());
      events_.pop_back();
      now_ = std::max(now_, event.at);
      deliver(event.where, std::move(event.what));
      continue;
    }
    now_ = std::max(now_, tick);
    if (now_ >= end) return;
    for (Process p = 0; p < size(); ++p)
      if (alive(p) && next_tick_[p] <= now_)
        next_tick_[p] = std::max(node(p).tick(now_), now_ + 1ms);
  }
}

}  // namespace weft::testing
