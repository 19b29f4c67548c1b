// What poll does: connections come up, bytes move both ways, ends and faults are told.
#include <algorithm>
#include <array>
#include <cerrno>

#include "net/tcp/endpoint.hpp"

namespace weft::tcp {

using transport::Peer;
using transport::Rail;
using transport::Sink;

// A process that ends closes all its sockets at once, but the last bytes of one may still be on the
// way when the end of another is here.
static constexpr Duration other_sockets_end_within = std::chrono::seconds(2);
// So many polls may be content with what the expected link brought.
static constexpr u32 looks_after = 16;

// A collective meets its peers in the same order again and again, so the link that followed this
// one last time is read without asking which has something: that spares a call for each message,
// and while waiting the receiver's kernel takes over a part of the sender's work.
std::size_t Endpoint::poll(Sink& sink) {
  std::size_t events = read_expected(sink);
  // What is queued now may wait for a socket that is full.
  if (events == 0 || !queued_.empty() || ++unlooked_ == looks_after) {
    unlooked_ = 0;
    events += look(sink);
  }
  if (door_.has_visitors() || !dialing_.empty() || !ending_.empty()) events += tick();
  events += flush_queued(sink);
  if (!faulty_.empty()) events += report_faults(sink);
  return events;
}

// At all that is ready: who sends without end does not keep the others waiting.
std::size_t Endpoint::look(Sink& sink) {
  std::array<epoll_event, 64> room;
  std::size_t events = 0;
  for (const epoll_event& event : poller_.ready(room))
    events += handle(token_of(event), event.events, sink);
  return events;
}

std::size_t Endpoint::handle(Token token, u32 events, Sink& sink) {
  switch (token.kind) {
    case Token::Kind::listener: door_.take_in(token.index, poller_); return 0;
    case Token::Kind::visitor:
      if (auto guest = door_.listen_to(token.index, poller_)) {
        adopt({guest->from, guest->rail}, std::move(guest->socket), guest->address);
        return 1;
      }
      return 0;
    case Token::Kind::attempt:
      if (remotes_[token.peer].dialer) remotes_[token.peer].dialer->advance(token.index, poller_);
      return 0;  // tick, which follows, takes what came of it
    case Token::Kind::alarm: poller_.silence(); return 0;
    case Token::Kind::link: break;
  }
  const Place place{token.peer, token.rail};
  Link* const link = find(place);
  if (!link || link->ended) return 0;
  if (events & EPOLLOUT && link->outbox.is_blocked()) {
    link->outbox.unblock();
    poller_.change(link->socket.get(), EPOLLIN, token);
  }
  return events & ~u32{EPOLLOUT} ? read(place, sink) : 0;
}

// What time alone brings about.
std::size_t Endpoint::tick() {
  const TimePoint now = Clock::now();
  std::size_t events = 0;
  door_.drop_overdue(now);
  for (std::size_t i = 0; i < dialing_.size();) {
    const Peer peer = dialing_[i];
    remotes_[peer].dialer->tick(now, poller_);
    events += progress_dialer(peer);
    if (remotes_[peer].dialer)
      ++i;
    else
      dialing_.erase(dialing_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (const Peer peer : ending_)
    if (remotes_[peer].fault_by <= now)
      set_fault(peer, Code::remote_error,
                fmt::format("rank {}: rank {} closed some of its {} tcp connections and not the "
                            "others: something on the way cut them",
                            identity_.rank, peer, rails()));
  return events;
}

std::size_t Endpoint::progress_dialer(Peer peer) {
  Remote& remote = remotes_[peer];
  std::size_t events = 0;
  while (auto connection = remote.dialer->take()) {
    adopt({peer, connection->rail}, std::move(connection->socket), connection->address);
    ++events;
  }
  if (remote.dialer->gave_up())
    set_fault(peer, Code::timed_out,
              fmt::format("rank {}: gave up {}; is a firewall in between, or does WEFT_INTERFACE "
                          "need to name the right interfaces?",
                          identity_.rank, remote.dialer->describe(Clock::now())));
  if (remote.stage != Stage::connecting || remote.dialer->gave_up()) {
    lying_doors_ += remote.dialer->strangers();
    remote.dialer.reset();
  }
  return events;
}

// Takes a proven connection for one of the peer's rails. The peer may try a rail again that it had
// lost before it knew that we have it, so before all are there the newest one counts.
void Endpoint::adopt(Place place, Fd socket, const Address& address) {
  Remote& remote = remotes_[place.peer];
  if (remote.stage == Stage::up || remote.stage == Stage::broken) return door_.count_stranger();
  auto outbox = Outbox::make();
  if (!outbox) return set_fault(place.peer, outbox.error().code, outbox.error().text);
  tune(socket.get());
  remote.links.resize(options_.sockets);
  remote.links[place.rail] = std::make_unique<Link>(
      Link{std::move(socket), address, std::move(*outbox), Inbox(), false, false, place});
  ++(identity_.rank < place.peer ? counters_.connections_opened : counters_.connections_accepted);
  open(place.peer);
}

// Up once both ends have asked for it and all sockets are there. Until then nothing is read: the
// sink hears of no peer that its owner has not asked for.
void Endpoint::open(Peer peer) {
  Remote& remote = remotes_[peer];
  const auto there = [](const auto& link) { return link != nullptr; };
  if (remote.stage != Stage::connecting ||
      !std::all_of(remote.links.begin(), remote.links.end(), there))
    return;
  remote.stage = Stage::up;
  for (Rail rail = 0; rail < rails(); ++rail)
    poller_.add(remote.links[rail]->socket.get(), EPOLLIN, {Token::Kind::link, rail, 0, peer});
}

std::size_t Endpoint::read_expected(Sink& sink) {
  const Link* const link = find(expected_);
  return link && !link->ended && remotes_[expected_.peer].stage == Stage::up ? read(expected_, sink)
                                                                             : 0;
}

void Endpoint::expect_next(Place came) {
  if (Link* const last = find(last_)) last->next = came;
  last_ = came;
  expected_ = find(came)->next;
}

std::size_t Endpoint::read(Place place, Sink& sink) {
  Link& link = *find(place);
  const Inbox::Read result =
      link.inbox.read(link.socket.get(), {regions_, scratch_, counters_, sink, place.peer});
  if (result.events) expect_next(place);
  switch (result.outcome) {
    case Inbox::Outcome::drained:
    case Inbox::Outcome::more: break;
    case Inbox::Outcome::ended: end(place); break;
    case Inbox::Outcome::failed:
      set_fault(place.peer, Code::remote_error,
                fmt::format("{} broke: {}: its process died, or ended early; see its own messages",
                            link_name(place), name_of_errno(result.error)));
      break;
    case Inbox::Outcome::violated:
      remotes_[place.peer].liar = true;
      set_fault(place.peer, Code::remote_error,
                fmt::format("{} is closed: {}", link_name(place), link.inbox.violation()));
      break;
  }
  // A socket that is not drained is work for the next poll, whether or not the sink heard of it.
  return result.events + (result.outcome != Inbox::Outcome::drained);
}

void Endpoint::end(Place place) {
  Remote& remote = remotes_[place.peer];
  Link& link = *find(place);
  link.ended = true;
  poller_.remove(link.socket.get());  // its end would be told again and again
  if (std::all_of(remote.links.begin(), remote.links.end(),
                  [](const auto& each) { return each->ended; }))
    return set_fault(place.peer, Code::remote_error,
                     fmt::format("{} was closed by the other end: its process ended, or failed "
                                 "first; see its own messages",
                                 link_name(place)));
  if (remote.fault_by != TimePoint::max()) return;
  remote.fault_by = Clock::now() + other_sockets_end_within;
  ending_.push_back(place.peer);
}

std::size_t Endpoint::flush_queued(Sink& sink) {
  std::size_t events = 0;
  // The sink may post, which appends.
  for (std::size_t i = 0; i < queued_.size();) {
    const Place place = queued_[i];
    Link* const link = find(place);
    if (link) {
      const u64 before = link->outbox.bytes_flushed();
      flush(place, *link);
      events += link->outbox.bytes_flushed() != before;
      while (link->outbox.has_finished()) {
        sink.completed(place.peer, link->outbox.take_finished());
        ++events;
      }
    }
    if (link && !link->outbox.is_empty()) {
      ++i;
      continue;
    }
    if (link) link->queued = false;
    queued_[i] = queued_.back();
    queued_.pop_back();
  }
  return events;
}

void Endpoint::set_fault(Peer peer, Code code, const std::string& text) {
  Remote& remote = remotes_[peer];
  if (!remote.fault.text.empty() || remote.stage == Stage::broken) return;
  remote.fault = {code, text};
  faulty_.push_back(peer);
}

void Endpoint::cut(Peer peer) {
  set_fault(
      peer, Code::remote_error,
      fmt::format("rank {}: the tcp link to rank {} was cut on purpose", identity_.rank, peer));
}

std::size_t Endpoint::report_faults(Sink& sink) {
  std::size_t events = 0;
  for (std::size_t i = 0; i < faulty_.size(); ++i) {
    const Peer peer = faulty_[i];
    Remote& remote = remotes_[peer];
    // What came before the fault is delivered before it, unless the peer cannot be trusted.
    if (remote.stage == Stage::up && !remote.liar)
      for (auto& link : remote.links)
        for (int reads = 0; reads < 256 && !link->ended && !remote.liar; ++reads) {
          const Inbox::Read result =
              link->inbox.read(link->socket.get(), {regions_, scratch_, counters_, sink, peer});
          events += result.events;
          remote.liar = result.outcome == Inbox::Outcome::violated;
          if (result.outcome != Inbox::Outcome::more) break;
        }
    remote.stage = Stage::broken;
    remote.links.clear();
    std::erase(ending_, peer);
    sink.broken(peer, remote.fault);
    ++events;
  }
  faulty_.clear();
  return events;
}

TimePoint Endpoint::next_deadline() const {
  TimePoint next = door_.next_deadline();
  for (const Peer peer : dialing_) next = std::min(next, remotes_[peer].dialer->next_deadline());
  for (const Peer peer : ending_) next = std::min(next, remotes_[peer].fault_by);
  return next;
}

}  // namespace weft::tcp
