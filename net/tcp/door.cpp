#include "net/tcp/door.hpp"

#include <algorithm>
#include <cerrno>

#include "base/log.hpp"

namespace weft::tcp {

// Also what all strangers together can make us hold: about 100 KiB.
static constexpr std::size_t most_visitors = 256;
static constexpr Duration own_place_for = std::chrono::seconds(1);
static constexpr std::size_t whole_hello = sizeof(Hello),
                             whole_talk = sizeof(Hello) + sizeof(Proof);

Status Door::open(std::vector<Address>* addresses, u16 first_port, u16 last_port, Poller& poller) {
  std::vector<Address> open;
  Error last;
  for (Address& address : *addresses) {
    auto listener = listen_on(&address, first_port, last_port);
    if (!listener) {
      last = std::move(listener).error();
      log::info("rank {}: {}", plate_.rank, last.text);
      continue;
    }
    poller.add(listener->get(), EPOLLIN,
               {Token::Kind::listener, 0, static_cast<u16>(listeners_.size())});
    listeners_.push_back(std::move(*listener));
    open.push_back(address);
  }
  if (open.empty())
    return fail(last.code, "rank {}: no address to listen on: {}", plate_.rank, last.text);
  *addresses = std::move(open);
  visitors_.reserve(most_visitors);
  return {};
}

void Door::take_in(u16 listener, Poller& poller) {
  const TimePoint now = Clock::now();
  for (int taken = 0; taken < 64; ++taken) {
    Visitor* const visitor = place_for_another(now);
    if (!visitor) return;
    visitor->address.size = sizeof visitor->address.storage;
    visitor->socket = Fd(::accept4(listeners_[listener].get(), visitor->address.raw(),
                                   &visitor->address.size, SOCK_NONBLOCK | SOCK_CLOEXEC))
                          .keep_from_children();
    if (!visitor->socket) return;  // none is waiting, or he has gone again
    visitor->since = now;
    visitor->have = 0;
    const auto place = static_cast<u16>(visitor - visitors_.data());
    poller.add(visitor->socket.get(), EPOLLIN, {Token::Kind::visitor, 0, place});
  }
}

// Null if all places are taken by visitors who came just now.
Door::Visitor* Door::place_for_another(TimePoint now) {
  for (Visitor& visitor : visitors_)
    if (!visitor.socket) return &visitor;
  if (visitors_.size() < most_visitors) return &visitors_.emplace_back();
  Visitor& oldest =
      *std::min_element(visitors_.begin(), visitors_.end(),
                        [](const Visitor& a, const Visitor& b) { return a.since < b.since; });
  if (now - oldest.since < own_place_for) return nullptr;
  drop(oldest, "others wait and it has not said who it is");
  return &oldest;
}

std::optional<Door::Guest> Door::listen_to(u16 index, Poller& poller) {
  if (index >= visitors_.size() || !visitors_[index].socket) return std::nullopt;
  Visitor& visitor = visitors_[index];
  if (const std::string why = hear(visitor); !why.empty()) {
    drop(visitor, why);
    return std::nullopt;
  }
  if (visitor.have < whole_talk) return std::nullopt;
  poller.remove(visitor.socket.get());
  return Guest{std::exchange(visitor.socket, Fd()), visitor.hello.from, visitor.hello.rail,
               visitor.address};
}

// Takes what has come, never more than is due: what follows the proof is data, for the link to
// read. Returns why the visitor must go.
std::string Door::hear(Visitor& visitor) {
  while (visitor.have < whole_talk) {
    const bool greeting = visitor.have < whole_hello;
    std::byte* const into =
        greeting ? reinterpret_cast<std::byte*>(&visitor.hello) + visitor.have
                 : reinterpret_cast<std::byte*>(&visitor.proof) + (visitor.have - whole_hello);
    const std::size_t due = (greeting ? whole_hello : whole_talk) - visitor.have;
    const ssize_t got = receive(visitor.socket.get(), {into, due});
    if (got < 0 && errno == EAGAIN) return {};
    if (got < 0) return name_of_errno(errno);
    if (got == 0) return "it left without saying who it is";
    visitor.have += static_cast<std::size_t>(got);
    // One look at the first word: garbage need not be waited for to its end.
    if (greeting && visitor.have >= sizeof visitor.hello.magic &&
        visitor.hello.magic != hello_magic)
      return "it does not speak weft";
    if (visitor.have == whole_hello) {
      if (std::string why = objection(visitor.hello, plate_); !why.empty()) return why;
      visitor.answer = answer_to(visitor.hello, job_);
      if (!send_all(visitor.socket.get(), bytes_of(visitor.answer)))
        return "it does not take our answer";
    }
  }
  if (!verify(visitor.proof, visitor.answer, visitor.hello, job_))
    return "it does not know the job's secret";
  if (!send_all(visitor.socket.get(), bytes_of(Welcome()))) return "it does not take our welcome";
  return {};
}

void Door::drop(Visitor& visitor, const std::string& why) {
  ++strangers_;
  log::info("rank {}: dropped a connection from {}: {}", plate_.rank, visitor.address.text(), why);
  visitor.socket = Fd();
}

void Door::drop_overdue(TimePoint now) {
  for (Visitor& visitor : visitors_)
    if (visitor.socket && now - visitor.since >= patience_)
      drop(visitor, "it has not said who it is in time");
  while (!visitors_.empty() && !visitors_.back().socket) visitors_.pop_back();
}

TimePoint Door::next_deadline() const {
  TimePoint next = TimePoint::max();
  for (const Visitor& visitor : visitors_)
    if (visitor.socket) next = std::min(next, visitor.since + patience_);
  return next;
}

}  // namespace weft::tcp
