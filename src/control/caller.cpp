#include "control/caller.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace weft::control {
namespace {

// Before another address, or a new call, has its turn.
constexpr Duration longest_try = std::chrono::seconds(1),
                   longest_greeting = std::chrono::seconds(2);
constexpr Duration sure_of_refusals = std::chrono::milliseconds(50);
constexpr Duration longest_pause = std::chrono::milliseconds(500);

}  // namespace

Caller::Caller(const Place& to, const Secret& key, const Hello& hello, Duration timeout,
               TimePoint now)
    : to_(to), key_(key), hello_(hello), began_(now), end_(now + timeout), next_try_(now) {
  const Duration share = timeout / (2 * std::max<std::size_t>(1, to.addresses.size()));
  to_connect_ = std::min(longest_try, share);
  to_greet_ = std::min(longest_greeting, share);
}

pollfd Caller::watched() const {
  if (phase_ == Phase::connecting) return {socket_.get(), POLLOUT, 0};
  if (phase_ != Phase::idle) return stream_.watched();
  return {-1, 0, 0};
}

TimePoint Caller::next() const {
  if (phase_ == Phase::idle) return std::min(next_try_, end_);
  return std::min(opened_ + (phase_ == Phase::connecting ? to_connect_ : to_greet_), end_);
}

Caller::Outcome Caller::give_up(Fate fate, std::string why) {
  fate_ = fate;
  why_ = std::move(why);
  return Outcome::failed;
}

void Caller::retry(TimePoint now, Fate fate, std::string why) {
  fate_ = fate;
  why_ = std::move(why);
  phase_ = Phase::idle;
  next_try_ = now + pause_;
  pause_ = std::min(pause_ * 2, longest_pause);
}

Caller::Outcome Caller::step(TimePoint now) {
  if (phase_ == Phase::idle && now >= next_try_) {
    if (const Outcome outcome = open(now); outcome != Outcome::pending) return outcome;
  }
  if (phase_ == Phase::connecting) {
    const int error = outcome_of(socket_);
    if (error == 0) {
      phase_ = Phase::silent;
      opened_ = now;
      refused_ = 0;
      stream_ = Stream(std::move(socket_), challenge_bytes + answer_bytes);
    } else if (error != EINPROGRESS || now >= opened_ + to_connect_) {
      refused_ = error == ECONNREFUSED ? refused_ + 1 : 0;
      const std::string where = to_.addresses[address_ % to_.addresses.size()].text();
      const char* const said = error == EINPROGRESS ? "no answer" : std::strerror(error);
      ++address_;
      retry(now, Fate::unreachable, fmt::format("connecting to {}: {}", where, said));
      if (refused_ >= to_.addresses.size() && now >= began_ + sure_of_refusals)
        return give_up(Fate::killed, "nobody listens at its control door any more");
    }
  }
  if (phase_ == Phase::silent || phase_ == Phase::greeted) {
    if (const Outcome outcome = listen(now); outcome != Outcome::pending) return outcome;
  }
  return now >= end_ ? Outcome::failed : Outcome::pending;
}

Caller::Outcome Caller::open(TimePoint now) {
  opened_ = now;
  if (!to_.name.empty()) {
    int error = 0;
    Fd connected = connect_to(to_.name, error);
    if (error == 0) {
      phase_ = Phase::silent;
      stream_ = Stream(std::move(connected), challenge_bytes + answer_bytes);
    } else if (error == ECONNREFUSED) {
      return give_up(Fate::killed, "its control door has vanished");
    } else {
      retry(now, Fate::silent, fmt::format("calling its control door: {}", std::strerror(error)));
    }
    return Outcome::pending;
  }
  if (to_.addresses.empty()) return give_up(Fate::unreachable, "it told no address");
  int error = 0;
  socket_ = begin_connecting(to_.addresses[address_ % to_.addresses.size()], error);
  phase_ = Phase::connecting;
  if (error == 0 || error == ECONNREFUSED) return Outcome::pending;
  const std::string where = to_.addresses[address_++ % to_.addresses.size()].text();
  retry(now, Fate::unreachable, fmt::format("connecting to {}: {}", where, std::strerror(error)));
  return Outcome::pending;
}

Caller::Outcome Caller::listen(TimePoint now) {
  stream_.move();
  if (phase_ == Phase::silent && stream_.incoming().size() >= challenge_bytes) {
    const auto challenge = read_challenge(stream_.incoming());
    if (!challenge) {
      ++address_;
      retry(now, Fate::unreachable, "somebody else answers at its address");
      return Outcome::pending;
    }
    acceptor_ = *challenge;
    stream_.take(challenge_bytes);
    hello_.nonce = random_nonce();
    stream_.put(make_hello(key_, acceptor_, hello_));
    stream_.move();
    phase_ = Phase::greeted;
  }
  if (phase_ == Phase::greeted && stream_.incoming().size() >= answer_bytes) {
    const auto answer =
        read_answer(key_, acceptor_, hello_.nonce, stream_.incoming().substr(0, answer_bytes));
    stream_.take(answer_bytes);
    if (answer == Welcome::yes) return Outcome::linked;
    if (answer == Welcome::declined) return Outcome::declined;
    if (answer == Welcome::left) return Outcome::left;
    ++address_;
    retry(now, Fate::unreachable, "who answers at its address does not know the job's secret");
  } else if (stream_.ended()) {
    ++address_;
    retry(now, Fate::unreachable,
          phase_ == Phase::greeted ? "it does not know this job (yet)" : stream_.reason());
  } else if (now >= opened_ + to_greet_) {
    ++address_;
    retry(now, Fate::silent, "nothing comes from its control door");
  } else if (phase_ == Phase::silent) {
    fate_ = Fate::silent;
    why_ = "nothing comes from its control door";
  }
  return Outcome::pending;
}

Line Caller::take_line() {
  stream_.allow(most_frame_bytes + 64);
  return {std::move(stream_), Seal(key_, "control calls", acceptor_, hello_.nonce),
          Seal(key_, "control accepts", acceptor_, hello_.nonce)};
}

}  // namespace weft::control
