#include "net/loopback/weather.hpp"

#include <algorithm>
#include <numeric>

namespace weft::loopback {

using transport::Cookie;
using transport::Notice;
using transport::Peer;
using transport::Piece;
using transport::Posted;
using transport::Rail;
using transport::RemoteAddress;
using transport::Sink;

namespace {
// Kept back on one lane before it answers busy.
constexpr std::size_t lane_depth = 16;

std::vector<std::byte> copy_of(Notice notice) { return {notice.begin(), notice.end()}; }
}  // namespace

Weathered::Weathered(std::unique_ptr<Endpoint> endpoint, const Weather& weather, u32 rank,
                     u32 ranks)
    : endpoint_(std::move(endpoint)),
      weather_(weather),
      dice_(weather.seed * 0x9e3779b97f4a7c15u + rank),
      kept_(std::size_t{ranks} * endpoint_->rails()),
      lanes_(std::size_t{ranks} * endpoint_->rails()),
      inbox_(ranks),
      copied_(ranks) {}

Posted Weathered::put(Peer peer, Rail rail, RemoteAddress to, std::span<const Piece> pieces,
                      Notice notice, Cookie cookie) {
  return keep_back(peer, rail, {true, to, {pieces.begin(), pieces.end()}, copy_of(notice), cookie});
}

Posted Weathered::notify(Peer peer, Rail rail, Notice notice) {
  return keep_back(peer, rail, {false, {}, {}, copy_of(notice), 0});
}

Posted Weathered::busy() {
  answered_busy_ = true;
  return Posted::busy;
}

Posted Weathered::keep_back(Peer peer, Rail rail, Post post) {
  if (weather_.cut && posts_ == weather_.cut->after_posts) endpoint_->cut(weather_.cut->peer);
  if (const Posted answer = endpoint_->ready(peer); answer != Posted::done) return answer;
  if (chance(weather_.busy_percent)) return busy();
  auto& waiting = lane(peer, rail);
  if (waiting.size() >= lane_depth) return busy();
  ++posts_;
  if (waiting.empty() && !chance(weather_.late_percent)) {
    // A full ring is the endpoint's own busy; the post then has not happened.
    const Posted posted = post_now(peer, rail, post);
    if (posted == Posted::busy) --posts_;
    return posted;
  }
  const bool copied = !post.is_put;
  ++kept_[peer * rails() + rail];
  waiting.push_back(std::move(post));
  return copied ? Posted::done : Posted::pending;
}

Posted Weathered::post_now(Peer peer, Rail rail, const Post& post) {
  return post.is_put ? endpoint_->put(peer, rail, post.to, post.pieces, post.notice, 0)
                     : endpoint_->notify(peer, rail, post.notice);
}

std::size_t Weathered::move_lane(std::size_t index) {
  const Peer peer = static_cast<Peer>(index / rails());
  const Rail rail = static_cast<Rail>(index % rails());
  auto& waiting = lanes_[index];
  std::size_t moved = 0;
  while (!waiting.empty() && !chance(weather_.hold_percent)) {
    const Posted posted = post_now(peer, rail, waiting.front());
    if (posted == Posted::busy) break;
    if (posted == Posted::broken) {
      waiting.clear();
      break;
    }
    if (waiting.front().cookie) copied_[peer].push_back(waiting.front().cookie);
    waiting.pop_front();
    ++moved;
  }
  return moved;
}

bool Weathered::fence(Peer peer) {
  for (Rail rail = 0; rail < rails(); ++rail)
    if (!lane(peer, rail).empty()) return false;
  return endpoint_->fence(peer);
}

std::size_t Weathered::poll(Sink& sink) {
  std::vector<std::size_t> order(lanes_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), dice_);
  std::size_t events = 0;
  for (const std::size_t index : order) events += move_lane(index);
  events += endpoint_->poll(*this);
  return events + deliver(sink);
}

// Tells the sink some of what has come. Events are taken out of the lists first: the sink may post.
std::size_t Weathered::deliver(Sink& sink) {
  std::vector<Peer> order(inbox_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), dice_);
  std::size_t events = 0;
  for (const Peer peer : order) {
    while (!copied_[peer].empty() && !chance(weather_.hold_percent)) {
      // Completions of different puts have no order.
      std::swap(copied_[peer][dice_() % copied_[peer].size()], copied_[peer].back());
      const Cookie cookie = copied_[peer].back();
      copied_[peer].pop_back();
      sink.completed(peer, cookie);
      ++events;
    }
    while (!inbox_[peer].empty() && !chance(weather_.hold_percent)) {
      const Event event = std::move(inbox_[peer].front());
      inbox_[peer].pop_front();
      if (event.kind == Event::Kind::arrived)
        sink.arrived(peer, event.notice);
      else
        sink.broken(peer, event.why);
      ++events;
    }
  }
  return events;
}

bool Weathered::arm() {
  if (std::exchange(answered_busy_, false)) return false;
  const auto idle = [](const auto& list) { return list.empty(); };
  return std::all_of(lanes_.begin(), lanes_.end(), idle) &&
         std::all_of(inbox_.begin(), inbox_.end(), idle) &&
         std::all_of(copied_.begin(), copied_.end(), idle) && endpoint_->arm();
}

void Weathered::arrived(Peer from, Notice notice) {
  inbox_[from].push_back({Event::Kind::arrived, copy_of(notice), {}});
}

void Weathered::completed(Peer, Cookie) {
  WEFT_ASSERT(false);  // the endpoint below copies at once and is given no cookies
}

void Weathered::broken(Peer peer, const Error& why) {
  for (Rail rail = 0; rail < rails(); ++rail) lane(peer, rail).clear();
  copied_[peer].clear();
  inbox_[peer].push_back({Event::Kind::broken, {}, why});
}

}  // namespace weft::loopback
