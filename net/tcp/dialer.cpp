#include "net/tcp/dialer.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace weft::tcp {
namespace {

using std::chrono::milliseconds;

// An address is given this head start over the next one (RFC 8305 advises 250 ms); longer once its
// host has accepted, for the peer may be computing and answers when it polls.
constexpr Duration head_start = milliseconds(250);
constexpr Duration head_start_of_accepted = milliseconds(2000);
constexpr Duration pause_between_rounds = milliseconds(200);
// A host that does not answer at all is one no route leads to; the kernel would try for minutes.
constexpr Duration connecting_at_most = milliseconds(5000);

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

Dialer::Dialer(const Identity& identity, const Options& options, Contact contact)
    : identity_(identity),
      contact_(std::move(contact)),
      patience_(options.connect_timeout),
      begun_(Clock::now()),
      reasons_(contact_.addresses.size(), "not tried yet"),
      rails_(options.sockets),
      next_start_(begun_) {
  // A round of the race, or the rails after it; places are never moved, tokens name them.
  attempts_.reserve(std::max<std::size_t>(contact_.addresses.size(), options.sockets));
}

Hello Dialer::hello_for(u8 rail) const {
  Hello hello;
  hello.rails = static_cast<u8>(rails_.size());
  hello.rail = rail;
  hello.from = identity_.rank;
  hello.to = contact_.rank;
  hello.ranks = identity_.ranks;
  hello.door_id = contact_.id;
  hello.nonce = fresh_nonce();
  return hello;
}

bool Dialer::under_way(Stage stage) const {
  return std::any_of(attempts_.begin(), attempts_.end(), [&](const Attempt& attempt) {
    return attempt.socket && attempt.stage == stage;
  });
}

void Dialer::tick(TimePoint now, Poller& poller) {
  for (Attempt& attempt : attempts_)
    if (attempt.socket && attempt.stage == Stage::connecting &&
        now - attempt.since >= connecting_at_most)
      fail_attempt(attempt, "timed out: no answer from its host");
  if (gave_up_) return;
  if (winner_)
    open_other_rails(now, poller);
  else
    race(now, poller);
}

void Dialer::race(TimePoint now, Poller& poller) {
  while (!winner_ && next_address_ < contact_.addresses.size() && now >= next_start_) {
    next_start_ = now + (under_way(Stage::asked) ? head_start_of_accepted : head_start);
    start(next_address_++, 0, now, poller);
  }
  if (winner_ || next_address_ < contact_.addresses.size() || under_way(Stage::connecting) ||
      under_way(Stage::asked))
    return;
  gave_up_ = now - begun_ >= patience_;
  next_address_ = 0;
  next_start_ = now + pause_between_rounds;
}

void Dialer::open_other_rails(TimePoint now, Poller& poller) {
  for (std::size_t rail = 0; rail < rails_.size(); ++rail) {
    RailState& state = rails_[rail];
    if (state.open || state.tried || now < state.next_try) continue;
    gave_up_ = now - begun_ >= patience_;
    if (gave_up_) return;
    start(*winner_, static_cast<u8>(rail), now, poller);
  }
}

void Dialer::start(std::size_t address, u8 rail, TimePoint now, Poller& poller) {
  const auto free = std::find_if(attempts_.begin(), attempts_.end(),
                                 [](const Attempt& attempt) { return !attempt.socket; });
  Attempt& attempt = free == attempts_.end() ? attempts_.emplace_back() : *free;
  attempt.stage = Stage::connecting;
  attempt.rail = rail;
  attempt.address = address;
  attempt.since = now;
  attempt.have = 0;
  rails_[rail].tried = true;
  auto socket = make_socket(contact_.addresses[address]);
  if (!socket) return fail_attempt(attempt, socket.error().text);
  attempt.socket = std::move(*socket);
  const int error = connect_to(attempt.socket.get(), contact_.addresses[address]);
  if (error && error != EINPROGRESS) return fail_attempt(attempt, name_of_errno(error));
  const auto place = static_cast<u16>(&attempt - attempts_.data());
  poller.add(attempt.socket.get(), EPOLLOUT, {Token::Kind::attempt, 0, place, contact_.rank});
  if (!error) ask(attempt, poller);
}

void Dialer::advance(u16 index, Poller& poller) {
  if (index >= attempts_.size() || !attempts_[index].socket) return;
  Attempt& attempt = attempts_[index];
  if (attempt.stage == Stage::asked) return prove(attempt, poller);
  if (attempt.stage == Stage::proved) return welcome(attempt, poller);
  const int error = connect_to(attempt.socket.get(), contact_.addresses[attempt.address]);
  if (error == EINPROGRESS) return;
  if (error) return fail_attempt(attempt, name_of_errno(error));
  ask(attempt, poller);
}

void Dialer::ask(Attempt& attempt, Poller& poller) {
  attempt.hello = hello_for(attempt.rail);
  if (!send_all(attempt.socket.get(), bytes_of(attempt.hello)))
    return fail_attempt(attempt, name_of_errno(errno));
  attempt.stage = Stage::asked;
  const auto place = static_cast<u16>(&attempt - attempts_.data());
  poller.change(attempt.socket.get(), EPOLLIN, {Token::Kind::attempt, 0, place, contact_.rank});
}

// False if there is more to wait for, or the attempt has failed.
bool Dialer::receive_whole(Attempt& attempt, std::span<std::byte> into) {
  while (attempt.have < into.size()) {
    const ssize_t got = receive(attempt.socket.get(), into.subspan(attempt.have));
    if (got < 0 && errno == EAGAIN) return false;
    if (got < 0) return fail_attempt(attempt, name_of_errno(errno)), false;
    if (got == 0)
      return fail_attempt(attempt,
                          "hung up on our hello: it is another program, or of another job or "
                          "build of weft (its log says which, with WEFT_LOG=info)"),
             false;
    attempt.have += static_cast<std::size_t>(got);
  }
  attempt.have = 0;
  return true;
}

void Dialer::prove(Attempt& attempt, Poller& poller) {
  if (!receive_whole(attempt, std::as_writable_bytes(std::span(&attempt.answer, 1)))) return;
  if (!verify(attempt.answer, attempt.hello, identity_.job)) {
    ++strangers_;
    return fail_attempt(attempt, "answered without knowing the job's secret");
  }
  const Proof proof = proof_for(attempt.answer, attempt.hello, identity_.job);
  if (!send_all(attempt.socket.get(), bytes_of(proof)))
    return fail_attempt(attempt, name_of_errno(errno));
  attempt.stage = Stage::proved;
  if (winner_) return;
  winner_ = attempt.address;
  begun_ = Clock::now();
  for (Attempt& other : attempts_)
    if (&other != &attempt) other.socket = Fd();
  open_other_rails(begun_, poller);
}

void Dialer::welcome(Attempt& attempt, Poller& poller) {
  if (!receive_whole(attempt, std::as_writable_bytes(std::span(&attempt.welcome, 1)))) return;
  poller.remove(attempt.socket.get());
  rails_[attempt.rail].open = true;
  proven_.push_back(
      {std::exchange(attempt.socket, Fd()), attempt.rail, contact_.addresses[attempt.address]});
}

void Dialer::fail_attempt(Attempt& attempt, const std::string& why) {
  reasons_[attempt.address] = why;
  attempt.socket = Fd();
  rails_[attempt.rail].tried = false;
  const TimePoint now = Clock::now();
  if (winner_)
    rails_[attempt.rail].next_try = now + pause_between_rounds;
  else
    next_start_ = now;  // the next address need not wait any longer
}

TimePoint Dialer::next_deadline() const {
  TimePoint next = winner_ ? TimePoint::max() : next_start_;
  for (const Attempt& attempt : attempts_)
    if (attempt.socket && attempt.stage == Stage::connecting)
      next = std::min(next, attempt.since + connecting_at_most);
  for (const RailState& rail : rails_)
    if (winner_ && !rail.open && !rail.tried) next = std::min(next, rail.next_try);
  return next;
}

std::optional<Dialer::Connection> Dialer::take() {
  if (proven_.empty()) return std::nullopt;
  Connection connection = std::move(proven_.back());
  proven_.pop_back();
  return connection;
}

std::string Dialer::describe(TimePoint now) const {
  std::string text =
      fmt::format("connecting to rank {} for {:.1f} s", contact_.rank, seconds(now - begun_));
  for (std::size_t i = 0; i < reasons_.size(); ++i) {
    std::string state = reasons_[i];
    for (const Attempt& attempt : attempts_)
      if (attempt.socket && attempt.address == i)
        state = fmt::format("{} for {:.1f} s",
                            attempt.stage == Stage::connecting
                                ? "no answer from its host"
                                : "its host accepted, the rank itself has not answered",
                            seconds(now - attempt.since));
    text += fmt::format("{} {}: {}", i ? ";" : ":", contact_.addresses[i].text(), state);
  }
  return text;
}

}  // namespace weft::tcp
