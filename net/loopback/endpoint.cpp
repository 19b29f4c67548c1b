#include "net/loopback/endpoint.hpp"

#include <sys/eventfd.h>

#include <cstring>
#include <thread>

namespace weft::loopback {

using transport::Notice;
using transport::Peer;
using transport::Piece;
using transport::Posted;
using transport::Rail;
using transport::RegionKey;
using transport::RemoteAddress;
using transport::Sink;

namespace {

// At most this many records of a ring in one poll, so that one peer cannot keep the others waiting.
constexpr int records_per_poll = 64;

// In front of each notice in the ring.
struct Header {
  u64 put_bytes;
};

u64 bytes_of(std::span<const Piece> pieces) {
  u64 bytes = 0;
  for (const Piece& piece : pieces) bytes += piece.size();
  return bytes;
}

}  // namespace

Endpoint::~Endpoint() {
  Hub::of_process().leave(*party_);
  for (Remote& remote : peers_)
    if (remote.mine) close(remote, State::ended);
  wait_for_writers();
}

Status Endpoint::connect(Peer peer, const std::string& address) {
  if (peer >= peers_.size() || peer == party_->rank)
    return fail(Code::invalid_argument, "rank {} of {} cannot connect to rank {}", party_->rank,
                party_->ranks, peer);
  Remote& remote = peers_[peer];
  if (remote.stage != Stage::unknown) return {};
  auto meeting = Hub::of_process().meet(party_, peer, address, rails_, ring_capacity_);
  if (!meeting && meeting.error().code != Code::remote_error) return fail(meeting.error());
  remote.stage = Stage::waiting;
  active_.push_back(peer);
  if (!meeting) {
    remote.refused = std::move(meeting).error();
    return {};
  }
  remote.meeting = std::move(*meeting);
  const bool higher = party_->rank > peer;
  remote.mine = &remote.meeting.link->sides[higher];
  remote.theirs = &remote.meeting.link->sides[!higher];
  WEFT_ASSERT(remote.mine->rings.size() == rails_);
  for (Rail rail = 0; rail < rails_; ++rail) {
    remote.lanes.push_back({RingProducer(remote.mine->rings[rail].bytes()),
                            RingConsumer(remote.theirs->rings[rail].bytes())});
  }
  remote.mine->state.store(State::joined, std::memory_order_seq_cst);
  remote.meeting.peer->ring_bell();
  return {};
}

void Endpoint::release(RegionKey key) {
  party_->regions.hide(key);
  wait_for_writers();
  party_->regions.give_back(key);
}

std::span<std::byte> Endpoint::map(Peer peer, RegionKey key) {
  if (peers_[peer].stage != Stage::up) return {};
  return peers_[peer].meeting.peer->regions.find(key);
}

Posted Endpoint::put(Peer peer, Rail rail, RemoteAddress to, std::span<const Piece> pieces,
                     Notice notice, transport::Cookie) {
  WEFT_ASSERT(rail < rails_ && pieces.size() <= transport::max_pieces);
  Remote& remote = peers_[peer];
  if (const Posted answer = ready(peer); answer != Posted::done) return answer;
  const u64 bytes = bytes_of(pieces);
  std::byte* const record = begin_record(remote, rail, bytes, notice.size());
  if (!record) return Posted::busy;
  if (!copy_to_peer(remote, to, pieces, bytes)) return Posted::broken;
  if (!notice.empty()) std::memcpy(record, notice.data(), notice.size());
  remote.lanes[rail].out.commit();
  remote.meeting.peer->ring_bell();
  counters_.bytes_sent += bytes;
  counters_.notices_sent += !notice.empty();
  return Posted::done;
}

Posted Endpoint::notify(Peer peer, Rail rail, Notice notice) {
  WEFT_ASSERT(rail < rails_);
  Remote& remote = peers_[peer];
  if (const Posted answer = ready(peer); answer != Posted::done) return answer;
  std::byte* const record = begin_record(remote, rail, 0, notice.size());
  if (!record) return Posted::busy;
  if (!notice.empty()) std::memcpy(record, notice.data(), notice.size());
  remote.lanes[rail].out.commit();
  remote.meeting.peer->ring_bell();
  counters_.notices_sent += !notice.empty();
  return Posted::done;
}

Posted Endpoint::ready(Peer peer) const {
  const Remote& remote = peers_[peer];
  if (remote.stage == Stage::broken) return Posted::broken;
  if (remote.stage != Stage::up) return Posted::busy;
  const bool gone = closed(remote.mine->state.load(std::memory_order_relaxed)) ||
                    closed(remote.theirs->state.load(std::memory_order_relaxed));
  return gone ? Posted::broken : Posted::done;
}

// Where the notice goes; null while the ring is full.
std::byte* Endpoint::begin_record(Remote& remote, Rail rail, u64 put_bytes,
                                  std::size_t notice_bytes) {
  WEFT_ASSERT(notice_bytes <= transport::max_notice_bytes);
  const Header header{put_bytes};
  std::byte* const record = remote.lanes[rail].out.reserve(sizeof header + notice_bytes);
  remote.lanes[rail].wants_room = !record;
  if (!record) return nullptr;
  std::memcpy(record, &header, sizeof header);
  return record + sizeof header;
}

// False, and the link is closed, if the target is not all in a region of the peer or he is gone.
bool Endpoint::copy_to_peer(Remote& remote, RemoteAddress to, std::span<const Piece> pieces,
                            u64 bytes) {
  remote.mine->writing.store(true, std::memory_order_seq_cst);
  const bool gone = closed(remote.theirs->state.load(std::memory_order_seq_cst));
  std::byte* target = gone ? nullptr : remote.meeting.peer->regions.target(to, bytes);
  if (target)
    for (const Piece& piece : pieces) {
      if (!piece.empty()) std::memcpy(target, piece.data(), piece.size());
      target += piece.size();
    }
  remote.mine->writing.store(false, std::memory_order_seq_cst);
  if (!target && !gone) {
    remote.refused = {
        Code::remote_error,
        fmt::format("rank {}: the link to rank {} is broken: this rank put {} bytes at offset {} "
                    "of region {}, which are not all in a region of that rank",
                    party_->rank, remote.meeting.peer->rank, bytes, to.offset, to.key)};
    close(remote, State::violated);
  }
  return target != nullptr;
}

void Endpoint::close(Remote& remote, State why) {
  if (closed(remote.mine->state.load(std::memory_order_relaxed))) return;
  remote.mine->state.store(why, std::memory_order_seq_cst);
  remote.meeting.peer->ring_bell();
}

void Endpoint::wait_for_writers() {
  // A copy ends by itself; nobody starts another once our flag or the key says no.
  for (const Remote& remote : peers_)
    while (remote.theirs && remote.theirs->writing.load(std::memory_order_seq_cst))
      std::this_thread::yield();
}

std::size_t Endpoint::poll(Sink& sink) {
  std::size_t events = 0;
  for (std::size_t i = 0; i < active_.size();) {
    const Peer peer = active_[i];
    events += poll_peer(peer, sink);
    if (peers_[peer].stage == Stage::broken)
      active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
  return events;
}

std::size_t Endpoint::poll_peer(Peer peer, Sink& sink) {
  Remote& remote = peers_[peer];
  if (!remote.mine || closed(remote.mine->state.load(std::memory_order_relaxed))) {
    report_broken(peer, sink);
    return 1;
  }
  // Read before the rings: what the peer sent before it closed is delivered first.
  const State theirs = remote.theirs->state.load(std::memory_order_seq_cst);
  if (theirs == State::away) return 0;
  std::size_t events = 0;
  if (remote.stage == Stage::waiting) {
    remote.stage = Stage::up;
    ++events;  // not for the sink, but someone may wait for it
    ++(party_->rank < peer ? counters_.connections_opened : counters_.connections_accepted);
  }
  bool drained = true;
  for (Lane& lane : remote.lanes) {
    events += drain(peer, lane.in, sink);
    drained = drained && lane.in.empty();
  }
  if (closed(theirs) && drained) {
    report_broken(peer, sink);
    ++events;
  }
  return events;
}

std::size_t Endpoint::drain(Peer peer, RingConsumer& ring, Sink& sink) {
  std::size_t events = 0;
  int records = 0;
  for (; records < records_per_poll; ++records) {
    const auto record = ring.front();
    if (!record) break;
    Header header;
    WEFT_ASSERT(record->size() >= sizeof header);
    std::memcpy(&header, record->data(), sizeof header);
    counters_.bytes_received += header.put_bytes;
    if (const Notice notice = record->subspan(sizeof header); !notice.empty()) {
      ++counters_.notices_received;
      sink.arrived(peer, notice);
      ++events;
    }
    ring.pop();
  }
  Remote& remote = peers_[peer];
  if (records && remote.theirs->starved.load(std::memory_order_seq_cst) &&
      remote.theirs->starved.exchange(false, std::memory_order_seq_cst))
    remote.meeting.peer->ring_bell();
  return events;
}

void Endpoint::report_broken(Peer peer, Sink& sink) {
  Remote& remote = peers_[peer];
  remote.stage = Stage::broken;
  if (remote.refused.text.empty()) {
    const State mine = remote.mine->state.load(std::memory_order_relaxed);
    const State why = closed(mine) ? mine : remote.theirs->state.load(std::memory_order_relaxed);
    const char* const cause = why == State::cut ? "it was cut on purpose"
                              : why == State::violated
                                  ? "that rank put outside of this rank's regions"
                                  : "that rank closed it: it ended, or failed first and says why";
    remote.refused = {Code::remote_error,
                      fmt::format("rank {}: the link to rank {} ({}) broke: {}", party_->rank, peer,
                                  remote.meeting.peer->address(), cause)};
  }
  if (remote.mine) close(remote, State::ended);
  sink.broken(peer, remote.refused);
}

bool Endpoint::has_news(Remote& remote) {
  if (!remote.mine || closed(remote.mine->state.load(std::memory_order_relaxed))) return true;
  const State theirs = remote.theirs->state.load(std::memory_order_seq_cst);
  if (closed(theirs) || (remote.stage == Stage::waiting && theirs != State::away)) return true;
  for (Lane& lane : remote.lanes) {
    if (!lane.in.empty()) return true;
    if (!lane.wants_room) continue;
    // The peer clears the flag when it makes room; raised again before the look, it is not missed.
    remote.mine->starved.store(true, std::memory_order_seq_cst);
    if (!lane.out.has_room_for(sizeof(Header) + transport::max_notice_bytes)) continue;
    lane.wants_room = false;
    return true;
  }
  return false;
}

bool Endpoint::arm() {
  party_->armed.store(true, std::memory_order_seq_cst);
  for (const Peer peer : active_)
    if (has_news(peers_[peer])) {
      party_->armed.store(false, std::memory_order_seq_cst);
      return false;
    }
  return true;
}

void Endpoint::disarm() {
  party_->armed.store(false, std::memory_order_seq_cst);
  eventfd_t rung;
  ::eventfd_read(wait_fd(), &rung);
}

std::string Endpoint::describe(Peer peer) const {
  const Remote& remote = peers_[peer];
  switch (remote.stage) {
    case Stage::unknown: return "not asked to connect";
    case Stage::waiting: return "waiting for its endpoint in this process to connect";
    case Stage::up: return "connected to " + remote.meeting.peer->address();
    case Stage::broken: return remote.refused.text;
  }
  return "unknown";
}

transport::Counters Endpoint::counters() const {
  transport::Counters counters = counters_;
  counters.strangers_dropped = party_->strangers.load(std::memory_order_relaxed);
  return counters;
}

}  // namespace weft::loopback
