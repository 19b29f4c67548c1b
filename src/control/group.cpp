#include "control/group.hpp"

#include <fmt/ranges.h>

namespace weft::control {

void Group::add(u32 rank, Subject& subject, TimePoint now) {
  seats_[rank] = {.subject = &subject, .last = {}, .changed = now};
  if (verdict_) subject.condemn(*verdict_);
}

std::vector<u32> Group::ranks_here() const {
  std::vector<u32> ranks;
  for (const auto& [rank, seat] : seats_) ranks.push_back(rank);
  return ranks;
}

bool Group::condemn(const Error& verdict, TimePoint now) {
  if (verdict_) return false;
  verdict_ = verdict;
  for (auto& [rank, seat] : seats_) {
    seat.at_the_end = look(seat, now);
    seat.subject->condemn(verdict);
  }
  return true;
}

void Group::ask(u64 call) {
  for (auto& [rank, seat] : seats_) {
    if (seat.at_the_end) continue;
    seat.asked = true;
    seat.subject->ask(call);
  }
}

Entry Group::look(Seat& seat, TimePoint now) {
  if (seat.at_the_end) return *seat.at_the_end;
  Entry entry = seat.subject->look();
  if (entry.made != seat.last.made || entry.done != seat.last.done) {
    seat.changed = now;
    seat.asked = false;
    seat.moved.reset();
  } else if (seat.asked && entry.driven) {  // what it says of its headway is of this call
    if (seat.moved && *seat.moved != entry.moved) seat.changed = now;
    seat.moved = entry.moved;
  }
  entry.age_ms =
      u64(std::chrono::duration_cast<std::chrono::milliseconds>(now - seat.changed).count());
  seat.last = entry;
  return entry;
}

std::vector<Entry> Group::look(TimePoint now) {
  std::vector<Entry> entries;
  for (auto& [rank, seat] : seats_) {
    entries.push_back(look(seat, now));
    entries.back().rank = rank;
  }
  return entries;
}

std::optional<u64> Group::watch(TimePoint now, Duration beat) {
  std::optional<u64> stuck;
  for (auto& [rank, seat] : seats_) {
    if (seat.at_the_end) continue;
    const Entry entry = look(seat, now);
    if (entry.done == entry.made || now - seat.changed < beat / 2) continue;
    seat.asked = true;
    seat.subject->ask(entry.done);  // so that what it waits for is known should it end badly
    stuck = std::min(stuck.value_or(entry.done), entry.done);
  }
  if (!stuck) {
    next_inquiry_ = TimePoint::max();
    return std::nullopt;
  }
  if (next_inquiry_ == TimePoint::max()) {
    pause_ = beat;
    next_inquiry_ = now + pause_;
  }
  if (now < next_inquiry_) return std::nullopt;
  pause_ = std::min<Duration>(pause_ * 2, std::chrono::minutes(1));
  next_inquiry_ = now + pause_;
  return stuck;
}

std::string sentence_of(const Down& down, const Members& members, const std::string& process) {
  std::vector<u32> ranks;
  for (u32 rank = 0; rank < members.size(); ++rank)
    if (members[rank] == down.process) ranks.push_back(rank);
  const bool one = ranks.size() == 1;
  const std::string who = fmt::format("rank{} {}", one ? "" : "s", fmt::join(ranks, ", "));
  const std::string why = down.why.empty() ? "" : " (" + down.why + ")";
  const char* const is = one ? "is" : "are";
  switch (down.fate) {
    case Fate::exited:
      return fmt::format("{} ended: {} called exit() and had not destroyed the communicator", who,
                         process);
    case Fate::frozen:
      return fmt::format("{} {} frozen: {} does not answer{}", who, is, process, why);
    case Fate::silent:
      return fmt::format("{} {} silent: {} is stopped, or what is said on the way to it is lost{}",
                         who, is, process, why);
    case Fate::unreachable:
      return fmt::format("{} {} unreachable: {} does not answer, nor does its host{}", who, is,
                         process, why);
    default: return fmt::format("{} died: {} ended without a word", who, process);
  }
}

}  // namespace weft::control
