#include "bootstrap/call.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "bootstrap/listener.hpp"
#include "bootstrap/ranks_text.hpp"

namespace weft::bootstrap {
namespace {

constexpr Duration head_start = std::chrono::milliseconds(200);
constexpr Duration first_pause = std::chrono::milliseconds(20);
constexpr Duration longest_pause = std::chrono::seconds(1);
constexpr u32 most_broken_off = 5;  // a door that is crowded breaks off; more often, it is no door

// One address: idle until `start`, then connecting, waiting for the challenge, for the answer.
class Attempt {
 public:
  Attempt(const Address& to, TimePoint start) : to_(to), start_(start) {}

  bool idle() const { return !socket_; }
  bool given_up() const { return given_up_; }
  TimePoint start() const { return start_; }
  bool untried() const { return idle() && failures_ == 0; }
  void hurry() { start_ = Clock::now(); }
  pollfd watched() const {
    return {socket_.get(), static_cast<short>(connected_ ? POLLIN : POLLOUT), 0};
  }
  std::string text() const {
    return fmt::format("{}: {}{}", to_.text(), untried() ? "not tried" : reason_,
                       failures_ > 1 ? fmt::format(" ({} times)", failures_) : "");
  }

  void open();
  // True once the answer is there.
  bool advance(const Secret& secret, const Hello& hello, Counters& counters);
  void judge(bool may_come_later);
  bool failed() const { return failed_; }
  Answered take() { return {std::move(socket_), to_, std::move(answer_)}; }

 private:
  void fail_with(const std::string& reason, bool refused) {
    reason_ = reason;
    refused_ = refused;
    failed_ = true;
    socket_ = Fd();
  }
  bool finish_connecting(Counters& counters);
  bool receive(std::size_t wanted);  // true once `heard_` has that many bytes
  bool on_challenge(const Secret& secret, const Hello& hello);
  bool on_answer(const Secret& secret);

  Address to_;
  TimePoint start_;
  Fd socket_;
  bool connected_ = false, greeted_ = false, failed_ = false, refused_ = false, given_up_ = false;
  u32 failures_ = 0;
  std::string reason_, heard_;
  Nonce acceptor_{}, caller_{};
  Answer answer_;
};

void Attempt::open() {
  connected_ = greeted_ = false;
  heard_.clear();
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
  if (error != 0) {
    fail_with(std::strerror(error), error == ECONNREFUSED);
    return false;
  }
  make_prompt(socket_.get());
  ++counters.opened;
  reason_ =
      "connected, but whoever listens there has not spoken (a rank that has not joined yet, "
      "or another program)";
  return connected_ = true;
}

bool Attempt::receive(std::size_t wanted) {
  char buffer[answer_most_bytes];
  while (heard_.size() < wanted) {
    const std::size_t room = std::min(wanted - heard_.size(), sizeof buffer);
    const ssize_t got = ::recv(socket_.get(), buffer, room, 0);
    if (got > 0) {
      heard_.append(buffer, static_cast<std::size_t>(got));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      const std::string how = got == 0 ? "closed the connection" : std::strerror(errno);
      fail_with(how + (greeted_ ? " after the greeting (is it the id of another job?)"
                                : " without a word"),
                false);
      return false;
    } else {
      return false;
    }
  }
  return true;
}

bool Attempt::on_challenge(const Secret& secret, const Hello& hello) {
  if (!receive(challenge_bytes)) return false;
  const auto nonce = read_challenge(heard_);
  if (!nonce) {
    fail_with("another program listens there, or another version of Weft", false);
    return false;
  }
  acceptor_ = *nonce;
  caller_ = random_nonce();
  heard_.clear();
  const std::string bytes = make_hello(secret, acceptor_, caller_, hello);
  if (::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(bytes.size())) {
    fail_with("closed the connection during the greeting", false);
    return false;
  }
  reason_ = "greeted, but it has not answered";
  return greeted_ = true;
}

bool Attempt::on_answer(const Secret& secret) {
  if (!receive(2)) return false;
  const std::size_t length = Reader(heard_).number<u16>();
  if (length > answer_most_bytes) {
    fail_with("answered with garbage", false);
    return false;
  }
  if (!receive(2 + length)) return false;
  auto answer = read_answer(secret, acceptor_, caller_, std::string_view(heard_).substr(2));
  if (!answer) {
    fail_with("answered without knowing the job's secret", false);
    return false;
  }
  answer_ = std::move(*answer);
  return true;
}

bool Attempt::advance(const Secret& secret, const Hello& hello, Counters& counters) {
  if (!connected_ && !finish_connecting(counters)) return false;
  if (!greeted_ && !on_challenge(secret, hello)) return false;
  return on_answer(secret);
}

void Attempt::judge(bool may_come_later) {
  failed_ = false;
  ++failures_;
  given_up_ = !may_come_later && (refused_ || failures_ >= most_broken_off);
  const Duration pause = first_pause * (1 << std::min(failures_, 6u));
  start_ = Clock::now() + std::min<Duration>(pause, longest_pause);
}

Error nobody(const Call& call, const std::vector<Attempt>& attempts, u32 rank, TimePoint since,
             bool late) {
  std::string all;
  for (const Attempt& attempt : attempts) all += "\n  " + attempt.text();
  return {late ? Code::timed_out : Code::remote_error,
          fmt::format("rank {} could not reach {}{}; it tried:{}{}", rank, call.whom,
                      late ? " within " + seconds_text(Clock::now() - since) : "", all,
                      late ? "" : "\nThe id may be stale: make a new one for each job")};
}

void settle_failures(std::vector<Attempt>& attempts, bool may_come_later) {
  for (Attempt& attempt : attempts) {
    if (!attempt.failed()) continue;
    attempt.judge(may_come_later);
    const auto next = std::find_if(attempts.begin(), attempts.end(),
                                   [](const Attempt& other) { return other.untried(); });
    if (next != attempts.end()) next->hurry();
  }
}

}  // namespace

Result<Answered> call(const Call& call, const Secret& secret, const Hello& hello, Deadline deadline,
                      Counters& counters) {
  const TimePoint began = Clock::now();
  std::vector<Attempt> attempts;
  for (std::size_t i = 0; i < call.addresses.size(); ++i)
    attempts.emplace_back(call.addresses[i], began + head_start * i);
  while (true) {
    std::vector<pollfd> polled;
    Duration sleep = longest_pause;
    const TimePoint now = Clock::now();
    bool any_left = false;
    for (Attempt& attempt : attempts) {
      if (attempt.given_up()) continue;
      if (attempt.idle() && attempt.start() <= now) attempt.open();
      if (!attempt.idle() && attempt.advance(secret, hello, counters)) return attempt.take();
    }
    settle_failures(attempts, call.may_come_later);
    for (const Attempt& attempt : attempts) {
      if (attempt.given_up()) continue;
      any_left = true;
      if (attempt.idle())
        sleep = std::min<Duration>(sleep, std::max(attempt.start() - now, Duration::zero()));
      else
        polled.push_back(attempt.watched());
    }
    if (!any_left) return fail(nobody(call, attempts, hello.rank, began, false));
    if (deadline.passed()) return fail(nobody(call, attempts, hello.rank, began, true));
    ::poll(polled.data(), polled.size(), poll_milliseconds(deadline.left(sleep)));
  }
}

}  // namespace weft::bootstrap
