#include "bootstrap/attempt.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "bootstrap/listener.hpp"

namespace weft::bootstrap {
namespace {

constexpr Duration first_pause = std::chrono::milliseconds(20);
constexpr Duration longest_pause = std::chrono::seconds(1);
constexpr u32 most_broken_off = 5;  // a door that is crowded breaks off; more often, it is no door

}  // namespace

std::string Attempt::text() const {
  return fmt::format("{}: {}{}", to_.text(), reason_,
                     failures_ > 1 ? fmt::format(" ({} times)", failures_) : "");
}

bool Attempt::fail_with(const std::string& reason, bool refused) {
  reason_ = reason;
  socket_ = Fd();
  ++failures_;
  state_ = !patient_ && (refused || failures_ >= most_broken_off) ? State::given_up : State::idle;
  start_ = Clock::now() +
           std::min<Duration>(first_pause * (1 << std::min(failures_, 6u)), longest_pause);
  return false;
}

void Attempt::open() {
  heard_.clear();
  opened_ = Clock::now();
  state_ = State::connecting;
  reason_ = "no reply to the connection request";
  socket_ =
      Fd(::socket(to_.ip.v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_storage name;
  const socklen_t length = to_.to_sockaddr(name);
  if (!socket_ ||
      (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&name), length) != 0 &&
       errno != EINPROGRESS))
    fail_with(std::strerror(errno), errno == ECONNREFUSED);
}

bool Attempt::finish_connecting(Counters& counters) {
  int error = 0;
  socklen_t length = sizeof error;
  pollfd ready{socket_.get(), POLLOUT, 0};
  if (::poll(&ready, 1, 0) == 0) return false;
  ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) return fail_with(std::strerror(error), error == ECONNREFUSED);
  make_prompt(socket_.get());
  ++counters.opened;
  reason_ =
      "connected, but whoever listens there has not spoken (a rank that has not joined yet, "
      "or another program)";
  state_ = State::silent;
  return true;
}

bool Attempt::receive(std::size_t wanted) {
  char buffer[answer_most_bytes];
  while (heard_.size() < wanted) {
    const std::size_t room = std::min(wanted - heard_.size(), sizeof buffer);
    const ssize_t got = ::recv(socket_.get(), buffer, room, 0);
    if (got > 0) {
      heard_.append(buffer, static_cast<std::size_t>(got));
      continue;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    const std::string how = got == 0 ? "closed the connection" : std::strerror(errno);
    return fail_with(how + (state_ == State::greeted
                                ? " after the greeting (is it the id of another job?)"
                                : " without a word"));
  }
  return true;
}

bool Attempt::greet(const Secret& secret, const Hello& hello) {
  if (!receive(challenge_bytes)) return false;
  const auto nonce = read_challenge(heard_);
  if (!nonce) return fail_with("another program listens there, or another version of Weft");
  acceptor_ = *nonce;
  caller_ = random_nonce();
  heard_.clear();
  const std::string bytes = make_hello(secret, acceptor_, caller_, hello);
  if (::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(bytes.size()))
    return fail_with("closed the connection during the greeting");
  reason_ = "greeted, but it has not answered";
  state_ = State::greeted;
  greeted_ = Clock::now();
  return true;
}

bool Attempt::hear_answer(const Secret& secret) {
  if (!receive(2)) return false;
  const std::size_t length = Reader(heard_).number<u16>();
  if (length > answer_most_bytes) return fail_with("answered with garbage");
  if (!receive(2 + length)) return false;
  auto answer = read_answer(secret, acceptor_, caller_, std::string_view(heard_).substr(2));
  if (!answer) return fail_with("answered without knowing the job's secret");
  answer_ = std::move(*answer);
  return true;
}

bool Attempt::advance(const Secret& secret, const Hello& hello, bool may_greet,
                      Counters& counters) {
  if (state_ == State::connecting && !finish_connecting(counters)) return false;
  if (state_ == State::silent && (!may_greet || !greet(secret, hello))) return false;
  return state_ == State::greeted && hear_answer(secret);
}

}  // namespace weft::bootstrap
