#include "intranode/shm/endpoint.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/asymmetric_fence.hpp"
#include "base/stream.hpp"
#include "intranode/shm/shm.hpp"

namespace weft::shm {

using transport::Notice;
using transport::Peer;
using transport::Piece;
using transport::Posted;
using transport::Rail;
using transport::Region;
using transport::RegionKey;
using transport::RemoteAddress;
using transport::Sink;

namespace {

constexpr auto tending_pause = std::chrono::milliseconds(1);
constexpr u32 polls_per_look_at_the_clock = 64;
// At most this many records of a ring in one poll, so that one peer cannot keep the others waiting.
constexpr int records_per_poll = 64;
constexpr std::string_view prefix = "shm:";

// In front of each notice in the ring.
struct Header {
  u64 put_bytes;  // since the notice before
};

void copy_pieces(std::byte* target, std::span<const Piece> pieces, bool streams) {
  for (const Piece& piece : pieces) {
    if (streams)
      stream_copy(target, piece.data(), piece.size());
    else if (!piece.empty())
      std::memcpy(target, piece.data(), piece.size());
    target += piece.size();
  }
  if (streams) stream_fence();  // the notice is an ordinary store
}

// With the stores that are the faster ones now.
void copy_many(StoreChoice& choice, std::byte* target, std::span<const Piece> pieces, u64 bytes) {
  const StoreChoice::Copy copy = choice.next();
  const TimePoint began = copy.timed ? Clock::now() : TimePoint();
  copy_pieces(target, pieces, copy.streams);
  if (copy.timed)
    choice.took(copy, bytes,
                static_cast<u64>((Clock::now() - began) / std::chrono::nanoseconds(1)));
}

}  // namespace

Result<std::unique_ptr<transport::Transport>> create(const Secret& job, u32 rank, u32 ranks,
                                                     Listener listener) {
  return Endpoint::create({.secret = job.derive("shm"), .rank = rank, .ranks = ranks},
                          std::move(listener));
}

Result<std::unique_ptr<transport::Transport>> create(const Secret& job, u32 rank, u32 ranks) {
  WEFT_ASSIGN(Listener listener, Listener::open());
  return create(job, rank, ranks, std::move(listener));
}

Result<std::unique_ptr<Endpoint>> Endpoint::create(const Self& self, Listener listener) {
  if (self.rank >= self.ranks)
    return fail(Code::invalid_argument, "rank {} of {} ranks does not exist", self.rank,
                self.ranks);
  Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return fail_errno(errno, "epoll_create1 (usual cause: `ulimit -n` is too small)");
  WEFT_ASSIGN(Inbox inbox, Inbox::create(std::min(self.ranks - 1, InboxView::max_slots)));
  WEFT_ASSIGN(Door door, Door::open(self, epoll.get(), std::move(listener)));
  return std::unique_ptr<Endpoint>(
      new Endpoint(self, std::move(epoll), std::move(inbox), std::move(door)));
}

Endpoint::Endpoint(const Self& self, Fd epoll, Inbox inbox, Door door)
    : self_(self),
      epoll_(std::move(epoll)),
      own_{std::move(inbox), {}},
      door_(std::move(door)),
      links_(self.ranks) {}

std::string Listener::address() const { return std::string(prefix) + name; }

std::string Endpoint::address() const { return door_.listener().address(); }

Status Endpoint::connect(Peer peer, const std::string& address) {
  if (peer >= self_.ranks || peer == self_.rank)
    return fail(Code::invalid_argument, "rank {} of {} cannot connect to rank {}", self_.rank,
                self_.ranks, peer);
  if (!address.starts_with(prefix) || address.size() != this->address().size())
    return fail(Code::invalid_argument, "rank {}: \"{}\" is no address of shared memory",
                self_.rank, address);
  Link& link = link_to(peer);
  if (link.wanted) return {};
  link.wanted = unsettled_ = true;
  if (peer > self_.rank) door_.call(peer, address.substr(prefix.size()));
  return {};
}

Link& Endpoint::link_to(Peer peer) {
  if (!links_[peer]) {
    links_[peer] = std::make_unique<Link>(self_.rank, peer, own_);
    known_.push_back(links_[peer].get());
  }
  return *links_[peer];
}

bool Endpoint::connected(Peer peer) const {
  return links_[peer] && links_[peer]->wanted && links_[peer]->stage() == Link::Stage::up;
}

Result<Region> Endpoint::allocate(std::size_t bytes) {
  WEFT_ASSIGN(const Region region, own_.regions.allocate(bytes));
  announce(region.key);
  return region;
}

Result<RegionKey> Endpoint::share_file(int file, std::size_t bytes) {
  WEFT_ASSIGN(const RegionKey key, own_.regions.adopt(file, bytes));
  announce(key);
  return key;
}

void Endpoint::announce(RegionKey key) {
  for (Link* link : known_) {
    link->announce(key);
    unsettled_ = unsettled_ || link->has_unsent();
  }
}

Result<Region> Endpoint::register_memory(std::span<std::byte> memory) {
  return fail(Code::unsupported,
              "rank {}: shared memory cannot register {} bytes that others own, because peers can "
              "map only memory that was made to be shared: use allocate",
              self_.rank, memory.size());
}

void Endpoint::release(RegionKey key) {
  own_.regions.release(key);
  for (Link* link : known_) {
    link->withdraw(key);
    unsettled_ = unsettled_ || link->has_unsent();
  }
}

std::span<std::byte> Endpoint::map(Peer peer, RegionKey key) {
  if (!connected(peer)) return {};
  const std::span<std::byte> found = links_[peer]->region(key);
  unsettled_ = unsettled_ || links_[peer]->is_failing();
  return found;
}

Posted Endpoint::readiness(const Link* link) const {
  if (!link || !link->wanted) return Posted::busy;
  if (link->stage() > Link::Stage::up) return Posted::broken;
  return link->is_ready() ? Posted::done : Posted::busy;
}

Posted Endpoint::put(Peer peer, Rail rail, RemoteAddress to, std::span<const Piece> pieces,
                     Notice notice, transport::Cookie) {
  WEFT_ASSERT(rail == 0 && pieces.size() <= transport::max_pieces);
  Link* const link = links_[peer].get();
  if (const Posted ready = readiness(link); ready != Posted::done) return ready;
  std::byte* const record = notice.empty() ? nullptr : begin_record(*link, notice.size());
  if (!notice.empty() && !record) return Posted::busy;

  u64 bytes = 0;
  for (const Piece& piece : pieces) bytes += piece.size();
  const std::span<std::byte> region = link->region(to.key);
  if (region.empty() || to.offset > region.size() || bytes > region.size() - to.offset) {
    link->fail(
        fmt::format("this rank put {} bytes at offset {} of region {}, which are not all in "
                    "a region of that rank",
                    bytes, to.offset, to.key));
    unsettled_ = true;
    return Posted::broken;
  }
  if (bytes < StoreChoice::least_bytes)
    copy_pieces(region.data() + to.offset, pieces, false);
  else
    copy_many(link->stores, region.data() + to.offset, pieces, bytes);
  link->unreported_bytes += bytes;
  counters_.bytes_sent += bytes;
  if (record) finish_record(*link, record, notice);
  return Posted::done;
}

Posted Endpoint::notify(Peer peer, Rail rail, Notice notice) {
  WEFT_ASSERT(rail == 0);
  Link* const link = links_[peer].get();
  if (const Posted ready = readiness(link); ready != Posted::done) return ready;
  if (notice.empty()) return Posted::done;
  std::byte* const record = begin_record(*link, notice.size());
  if (!record) return Posted::busy;
  finish_record(*link, record, notice);
  return Posted::done;
}

// Room for a notice; null while the ring is full.
std::byte* Endpoint::begin_record(Link& link, std::size_t notice_bytes) {
  WEFT_ASSERT(notice_bytes <= transport::max_notice_bytes);
  std::byte* const record = link.out().ring().reserve(sizeof(Header) + notice_bytes);
  link.wants_room = !record;
  return record;
}

void Endpoint::finish_record(Link& link, std::byte* record, Notice notice) {
  const Header header{std::exchange(link.unreported_bytes, 0)};
  std::memcpy(record, &header, sizeof header);
  std::memcpy(record + sizeof header, notice.data(), notice.size());
  link.out().ring().commit(link.publishing());
  light_fence();
  link.wake();
  ++counters_.notices_sent;
}

void Endpoint::cut(Peer peer) {
  link_to(peer).fail("the link was cut on purpose");
  unsettled_ = true;
}

std::size_t Endpoint::poll(Sink& sink) {
  std::size_t events = 0;
  for (Link* const link : by_slot_)
    if (!link->in().empty()) events += drain(*link, sink);
  if (must_tend()) events += tend(sink);
  return events;
}

std::size_t Endpoint::drain(Link& link, Sink& sink) {
  if (!link.wanted) return 0;
  const u32 slot = link.slot();
  int records = 0;
  for (; records < records_per_poll; ++records) {
    const auto record = link.in().front();
    if (!record) break;
    Header header;
    if (record->size() <= sizeof header ||
        record->size() > sizeof header + transport::max_notice_bytes) {
      link.fail("it sent a notice of an impossible size");
      break;
    }
    std::memcpy(&header, record->data(), sizeof header);
    counters_.bytes_received += header.put_bytes;
    ++counters_.notices_received;
    sink.arrived(link.peer(), record->subspan(sizeof header));
    link.in().pop(link.publishing());
  }
  if (link.in().corrupt()) link.fail("its ring of notices is corrupt");
  unsettled_ = unsettled_ || link.is_failing();
  light_fence();
  std::atomic<u32>& starved = own_.inbox.view().starved(slot);
  if (records && starved.load(std::memory_order_seq_cst) && starved.exchange(0)) link.wake();
  return static_cast<std::size_t>(records);
}

bool Endpoint::must_tend() {
  if (unsettled_ || woken_ || door_.is_busy()) return true;
  if (++polls_ % polls_per_look_at_the_clock) return false;
  return Clock::now() >= next_tending_;
}

std::size_t Endpoint::tend(Sink& sink) {
  woken_ = false;
  next_tending_ = Clock::now() + tending_pause;
  const bool rang = read_sockets();
  if (rang || door_.is_busy())
    door_.poll([this](Door::Visitor visitor) { return admit(std::move(visitor)); });
  std::size_t events = 0;
  unsettled_ = false;
  for (Link* link : known_) {
    link->flush();
    events += link->has_come_up();  // not for the sink, but someone may wait for it
    if (must_report(*link)) events += report(*link, sink);
    unsettled_ = unsettled_ || link->is_unsettled();
  }
  return events;
}

// True when the door has something to see to.
bool Endpoint::read_sockets() {
  std::array<epoll_event, 16> events;
  const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
  bool rang = false;
  for (int i = 0; i < count; ++i) {
    const u64 who = events[static_cast<std::size_t>(i)].data.u64;
    if (who == Door::event)
      rang = true;
    else
      links_[who]->read_socket();
  }
  return rang;
}

bool Endpoint::admit(Door::Visitor visitor) {
  Link& link = link_to(visitor.peer);
  if (link.stage() != Link::Stage::unknown) return false;
  if (!visitor.socket) {
    link.fail("whoever listens at its address does not know the secret of this job");
    return true;
  }
  if (by_slot_.size() == own_.inbox.slots()) {
    link.fail(fmt::format("{} ranks share memory with this one already", by_slot_.size()));
    return true;
  }
  epoll_event event{.events = EPOLLIN, .data = {.u64 = visitor.peer}};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, visitor.socket.get(), &event);
  ++(visitor.called ? counters_.connections_opened : counters_.connections_accepted);
  const u32 slot = static_cast<u32>(by_slot_.size());
  by_slot_.push_back(&link);
  link.open(std::move(visitor.socket), slot);
  return true;
}

// A failure is told to who has asked for the peer, and after a call has ended.
bool Endpoint::must_report(const Link& link) const { return link.wanted && link.is_failing(); }

std::size_t Endpoint::report(Link& link, Sink& sink) {
  std::size_t events = 1;
  // What it had sent before it failed comes first. It may be alive and sending still: not for ever.
  if (link.has_slot())
    for (int round = 0; round < 8; ++round) events += drain(link, sink);
  link.close();
  sink.broken(link.peer(), link.why());
  return events;
}

// Flags first, then the look; peers publish first and look at the flags then.
bool Endpoint::arm() {
  std::atomic<u32>& asleep = own_.inbox.view().asleep();
  asleep.store(1, std::memory_order_seq_cst);
  for (Link* link : known_)
    if (wants_room(*link)) link->out().starved().store(1, std::memory_order_seq_cst);
  if (own_.inbox.fences()) heavy_fence();
  bool quiet = !door_.must_retry();
  for (Link* link : known_) quiet = quiet && !has_news(*link);
  if (!quiet) asleep.store(0, std::memory_order_seq_cst);
  return quiet;
}

bool Endpoint::wants_room(const Link& link) {
  return link.stage() == Link::Stage::up && link.wants_room;
}

bool Endpoint::has_news(Link& link) const {
  if (link.has_unsent() || must_report(link)) return true;
  if (link.has_slot() && !link.in().empty()) return true;
  if (!wants_room(link)) return false;
  // The peer lowers the flag when it makes room; raised before the look, it is not missed.
  if (!link.out().ring().has_room_for(sizeof(Header) + transport::max_notice_bytes)) return false;
  link.wants_room = false;
  return true;
}

void Endpoint::disarm() {
  own_.inbox.view().asleep().store(0, std::memory_order_seq_cst);
  woken_ = true;
}

std::string Endpoint::describe(Peer peer) const {
  const Link* const link = links_[peer].get();
  if (!link) return "not asked to connect";
  switch (link->stage()) {
    case Link::Stage::unknown: return door_.describe(peer);
    case Link::Stage::invited: return "introduced, waiting for its memory";
    case Link::Stage::up: return fmt::format("connected to its pid {}", link->process());
    case Link::Stage::breaking:
    case Link::Stage::broken: return link->why().text;
  }
  return {};
}

transport::Counters Endpoint::counters() const {
  transport::Counters counters = counters_;
  counters.strangers_dropped = door_.strangers();
  return counters;
}

}  // namespace weft::shm
