#include "net/tcp/endpoint.hpp"

#include <algorithm>
#include <cerrno>

namespace weft::tcp {

using transport::Cookie;
using transport::Notice;
using transport::Peer;
using transport::Piece;
using transport::Posted;
using transport::Rail;
using transport::RemoteAddress;

namespace {

// Many small frames in one system call, and still in the second-level cache when they are worked
// off.
constexpr std::size_t scratch_bytes = 128 << 10;

u64 random_id() {
  u64 id;
  fill_random(std::as_writable_bytes(std::span(&id, 1)));
  return id;
}

}  // namespace

Result<std::unique_ptr<transport::Transport>> Endpoint::make(const Identity& identity,
                                                             const Options& options) {
  WEFT_ASSIGN(Poller poller, Poller::make());
  std::unique_ptr<Endpoint> endpoint(
      new Endpoint(identity, options, random_id(), std::move(poller)));
  // Nobody dials rank 0, so it needs no door.
  if (identity.rank > 0) {
    WEFT_ASSIGN(endpoint->self_.addresses, local_addresses(options.interfaces));
    WEFT_TRY(endpoint->door_.open(&endpoint->self_.addresses, options.first_port, options.last_port,
                                  endpoint->poller_));
  }
  return endpoint;
}

Endpoint::Endpoint(const Identity& identity, const Options& options, u64 id, Poller poller)
    : identity_(identity),
      options_(options),
      self_{identity.rank, id, {}},
      poller_(std::move(poller)),
      door_(identity, options, id),
      remotes_(identity.ranks),
      scratch_(scratch_bytes) {
  // Lists that the data path appends to never grow there.
  queued_.reserve(std::size_t{identity.ranks} * options.sockets);
  faulty_.reserve(identity.ranks);
}

Endpoint::~Endpoint() {
  // Closing a socket with unread bytes resets the connection, and what we sent last may be lost
  // with it. So the end is announced and the rest thrown away first; a peer that sends without end
  // is not waited for.
  for (Remote& remote : remotes_)
    for (auto& link : remote.links) {
      if (!link) continue;
      ::shutdown(link->socket.get(), SHUT_WR);
      for (int i = 0; i < 64 && receive(link->socket.get(), scratch_) > 0; ++i) continue;
    }
}

Status Endpoint::connect(Peer peer, const std::string& address) {
  if (peer >= identity_.ranks || peer == identity_.rank)
    return fail(Code::invalid_argument, "rank {} of {} cannot connect to rank {}", identity_.rank,
                identity_.ranks, peer);
  WEFT_ASSIGN(Contact contact, Contact::from_text(address));
  const bool dials = identity_.rank < peer;
  if (contact.rank != peer || (dials && contact.addresses.empty()))
    return fail(Code::invalid_argument, "rank {}: \"{}\" is no address of rank {}", identity_.rank,
                address, peer);
  Remote& remote = remotes_[peer];
  if (remote.stage != Stage::unknown) return {};
  remote.stage = Stage::connecting;
  remote.links.resize(options_.sockets);
  if (dials) {
    remote.dialer.emplace(identity_, options_, std::move(contact));
    dialing_.push_back(peer);
  } else {
    open(peer);
  }
  return {};
}

bool Endpoint::connected(Peer peer) const {
  return remotes_[peer].stage == Stage::up && remotes_[peer].fault.text.empty();
}

void Endpoint::release(transport::RegionKey key) {
  regions_.hide(key);
  regions_.give_back(key);
}

Posted Endpoint::put(Peer peer, Rail rail, RemoteAddress to, std::span<const Piece> pieces,
                     Notice notice, Cookie cookie) {
  WEFT_ASSERT(pieces.size() <= transport::max_pieces);
  Head head{to.key, static_cast<u16>(notice.size()), Head::Kind::put, 0, to.offset, 0};
  for (const Piece& piece : pieces) head.put_bytes += piece.size();
  return post({peer, rail}, head, pieces, notice, cookie);
}

Posted Endpoint::notify(Peer peer, Rail rail, Notice notice) {
  const Head head{0, static_cast<u16>(notice.size()), Head::Kind::notice, 0, 0, 0};
  return post({peer, rail}, head, {}, notice, 0);
}

Posted Endpoint::post(Place place, const Head& head, std::span<const Piece> pieces, Notice notice,
                      Cookie cookie) {
  WEFT_ASSERT(place.rail < rails() && notice.size() <= transport::max_notice_bytes);
  const Remote& remote = remotes_[place.peer];
  const bool ending = !remote.fault.text.empty() || remote.fault_by != TimePoint::max();
  if (remote.stage == Stage::broken || ending) return Posted::broken;
  if (remote.stage != Stage::up) return Posted::busy;

  Link& link = *remote.links[place.rail];
  Posted posted = link.outbox.post(head, pieces, notice, cookie);
  if (posted == Posted::busy) {
    flush(place, link);
    if (!remote.fault.text.empty()) return Posted::broken;
    posted = link.outbox.post(head, pieces, notice, cookie);
    if (posted == Posted::busy) return posted;
  }
  counters_.bytes_sent += head.put_bytes;
  counters_.notices_sent += !notice.empty();
  if (!link.queued) queued_.push_back(place);
  link.queued = true;
  // Posts wait for push or poll, to leave together.
  if (link.outbox.is_heavy()) flush(place, link);
  if (posted == Posted::pending && link.outbox.is_empty()) {
    if (cookie) link.outbox.forget_last_finished();
    posted = Posted::done;
  }
  return posted;
}

void Endpoint::flush(Place place, Link& link) {
  if (link.outbox.is_blocked() || link.outbox.is_empty() || link.ended) return;
  if (const int error = link.outbox.flush(link.socket.get()))
    return set_fault(
        place.peer, Code::remote_error,
        fmt::format("{} broke while sending: {}", link_name(place), name_of_errno(error)));
  if (link.outbox.is_blocked())
    poller_.change(link.socket.get(), EPOLLIN | EPOLLOUT,
                   {Token::Kind::link, place.rail, 0, place.peer});
}

// What the kernel hands from socket to socket in one piece (its largest packet before it is cut
// into segments). Measured: README.
std::size_t Endpoint::best_put_bytes() const { return 64 << 10; }

void Endpoint::push() {
  std::erase_if(queued_, [this](Place place) {
    Link* const link = find(place);
    if (link) flush(place, *link);
    const bool rests = link && (!link->outbox.is_empty() || link->outbox.has_finished());
    if (link) link->queued = rests;
    return !rests;
  });
}

bool Endpoint::fence(Peer peer) {
  const Remote& remote = remotes_[peer];
  return std::all_of(remote.links.begin(), remote.links.end(),
                     [](const auto& link) { return !link || link->outbox.is_empty(); });
}

u64 Endpoint::posted(Peer peer, transport::Rail rail) const {
  const auto& links = remotes_[peer].links;
  return rail < links.size() && links[rail] ? links[rail]->outbox.bytes_posted() : 0;
}

u64 Endpoint::departed(Peer peer, transport::Rail rail) const {
  const auto& links = remotes_[peer].links;
  return rail < links.size() && links[rail] ? links[rail]->outbox.bytes_flushed() : 0;
}

bool Endpoint::arm() {
  if (!faulty_.empty()) return false;
  for (const Place place : queued_) {
    const Link* const link = find(place);
    if (link && (!link->outbox.is_blocked() || link->outbox.has_finished())) return false;
  }
  const TimePoint next = next_deadline();
  if (next != TimePoint::max() && next <= Clock::now()) return false;
  poller_.ring_at(next);
  return true;
}

std::string Endpoint::link_name(Place place) const {
  return fmt::format("rank {}: the tcp link to rank {} ({}, socket {} of {})", identity_.rank,
                     place.peer, remotes_[place.peer].links[place.rail]->address.text(),
                     place.rail + 1, rails());
}

std::string Endpoint::describe(Peer peer) const {
  const Remote& remote = remotes_[peer];
  const auto there = std::count_if(remote.links.begin(), remote.links.end(),
                                   [](const auto& link) { return link != nullptr; });
  switch (remote.stage) {
    case Stage::unknown:
      return there ? "it has connected to us, and we were not asked to connect to it"
                   : "not asked to connect";
    case Stage::connecting:
      if (remote.dialer) return remote.dialer->describe(Clock::now());
      return fmt::format("waiting for rank {} to connect to {} ({} of {} sockets are there)", peer,
                         address(), there, rails());
    case Stage::up: {
      std::string text = "connected to " + remote.links[0]->address.text();
      for (const auto& link : remote.links)
        if (link->outbox.is_blocked()) return text + ", which takes no more: it is not polling";
      return text;
    }
    case Stage::broken: return remote.fault.text;
  }
  return "unknown";
}

transport::Counters Endpoint::counters() const {
  transport::Counters counters = counters_;
  counters.strangers_dropped = door_.strangers() + lying_doors_;
  return counters;
}

}  // namespace weft::tcp
