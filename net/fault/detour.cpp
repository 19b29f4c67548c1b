#include "net/fault/detour.hpp"

#include <algorithm>
#include <utility>

namespace weft::fault {

using transport::Peer;
using transport::Posted;
using transport::Rail;

Copy Copy::of_put(transport::RemoteAddress to, std::span<const transport::Piece> pieces,
                  transport::Notice notice) {
  Copy copy = of_notice(notice);
  copy.is_put = true;
  copy.to = to;
  for (const transport::Piece& piece : pieces)
    copy.bytes.insert(copy.bytes.end(), piece.begin(), piece.end());
  return copy;
}

Copy Copy::of_notice(transport::Notice notice) {
  Copy copy;
  copy.notice.assign(notice.begin(), notice.end());
  return copy;
}

void Copy::flip(u64 bit, const Message& message) {
  std::vector<std::byte>& data = message.inlined || !is_put ? notice : bytes;
  const u64 byte = (message.inlined ? message.inlined : 0) + bit / 8;
  if (byte < data.size()) data[byte] ^= std::byte(1 << bit % 8);
}

Posted Detour::send(Peer peer, Rail rail, Copy& copy) {
  free_sources();
  if (!copy.is_put) return inner_.notify(peer, rail, copy.notice);
  const transport::Piece piece(copy.bytes);
  const Posted posted = inner_.put(peer, rail, copy.to, {&piece, 1}, copy.notice, 0);
  if (posted != Posted::pending) return posted;
  kept_.push_back({peer, std::move(copy.bytes)});
  return Posted::done;  // nobody waits for a copy of ours
}

void Detour::free_sources() {
  std::erase_if(kept_, [&](const Kept& kept) { return inner_.fence(kept.peer); });
}

void Detour::delay(Peer peer, Rail rail, Copy copy, TimePoint until) {
  auto lane = std::ranges::find_if(
      lanes_, [&](const Lane& each) { return each.peer == peer && each.rail == rail; });
  if (lane == lanes_.end()) lane = lanes_.insert(lane, Lane{peer, rail, {}, false});
  if (!lane->late.empty()) until = std::max(until, lane->late.back().due);
  delayed_bytes_ += copy.size();
  lane->late.push_back({std::move(copy), until});
}

bool Detour::is_blocked(Peer peer, Rail rail) const {
  return std::ranges::any_of(lanes_, [&](const Lane& lane) {
    return lane.peer == peer && lane.rail == rail && !lane.late.empty();
  });
}

bool Detour::is_waiting(Peer peer) const {
  return std::ranges::any_of(
      lanes_, [&](const Lane& lane) { return lane.peer == peer && !lane.late.empty(); });
}

std::size_t Detour::move(TimePoint now) {
  std::size_t moved = 0;
  for (Lane& lane : lanes_) {
    lane.full = false;
    while (!lane.late.empty() && lane.late.front().due <= now && !lane.full) {
      Copy& copy = lane.late.front().copy;
      const std::size_t bytes = copy.size();
      lane.full = send(lane.peer, lane.rail, copy) == Posted::busy;
      if (lane.full) break;
      delayed_bytes_ -= bytes;
      lane.late.pop_front();
      ++moved;
    }
  }
  return moved;
}

TimePoint Detour::next() const {
  TimePoint next = TimePoint::max();
  for (const Lane& lane : lanes_)
    if (!lane.late.empty() && !lane.full) next = std::min(next, lane.late.front().due);
  return next;
}

void Detour::forget(Peer peer) {
  for (Lane& lane : lanes_) {
    if (lane.peer != peer) continue;
    for (const Late& late : lane.late) delayed_bytes_ -= late.copy.size();
    lane.late.clear();
  }
  std::erase_if(kept_, [peer](const Kept& kept) { return kept.peer == peer; });
}

}  // namespace weft::fault
