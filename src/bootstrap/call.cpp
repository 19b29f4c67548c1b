#include "bootstrap/call.hpp"

#include <poll.h>

#include <algorithm>

#include "bootstrap/attempt.hpp"
#include "bootstrap/ranks_text.hpp"

namespace weft::bootstrap {
namespace {

using State = Attempt::State;

// How long an address has the field for itself: until it connects, and until it speaks. A place
// fixed beforehand may belong to another program that never speaks; a listener that is known to be
// open is only slow.
constexpr Duration to_connect = std::chrono::milliseconds(200);
constexpr Duration to_speak_if_fixed = std::chrono::milliseconds(200);
constexpr Duration to_speak_if_open = std::chrono::seconds(2);
// And the one that has been greeted.
constexpr Duration to_answer = std::chrono::seconds(1);

class Race {
 public:
  Race(const Call& call, const Secret& secret, const Hello& hello, Counters& counters)
      : call_(call), secret_(secret), hello_(hello), counters_(counters) {
    for (const Address& address : call.addresses)
      attempts_.emplace_back(address, call.may_come_later);
  }
  Result<Answered> run(Deadline deadline);

 private:
  // Whom two addresses of one door both lead to must not be greeted twice: he would adopt twice. To
  // look up twice does no harm, so who stops in the middle of it does not hold up the others.
  const Attempt* greeted() const {
    const TimePoint oldest =
        hello_.purpose == Purpose::adopt ? TimePoint::min() : Clock::now() - to_answer;
    const auto found =
        std::find_if(attempts_.begin(), attempts_.end(), [&](const Attempt& attempt) {
          return attempt.state() == State::greeted && attempt.greeted() > oldest;
        });
    return found == attempts_.end() ? nullptr : &*found;
  }
  bool over() const {
    return std::all_of(attempts_.begin(), attempts_.end(),
                       [](const Attempt& attempt) { return attempt.state() == State::given_up; });
  }
  TimePoint next_opening() const;
  void sleep(Deadline deadline) const;
  Error nobody(TimePoint since, bool late) const;

  const Call& call_;
  const Secret& secret_;
  const Hello& hello_;
  Counters& counters_;
  std::vector<Attempt> attempts_;
};

TimePoint Race::next_opening() const {
  if (greeted()) return TimePoint::max();
  const Duration to_speak = call_.may_come_later ? to_speak_if_fixed : to_speak_if_open;
  TimePoint next = TimePoint::min();
  for (const Attempt& attempt : attempts_) {
    if (attempt.state() == State::connecting) next = std::max(next, attempt.opened() + to_connect);
    if (attempt.state() == State::silent) next = std::max(next, attempt.opened() + to_speak);
  }
  return next;
}

void Race::sleep(Deadline deadline) const {
  const TimePoint now = Clock::now();
  std::vector<pollfd> polled;
  Duration most = std::chrono::seconds(1);
  for (const Attempt& attempt : attempts_) {
    if (attempt.state() == State::idle) {
      const TimePoint opens = std::max(attempt.start(), next_opening());
      most = std::min<Duration>(most, opens <= now ? Duration::zero() : opens - now);
    } else if (attempt.state() != State::given_up &&
               !(attempt.state() == State::silent && greeted())) {
      polled.push_back(attempt.watched());
    }
  }
  ::poll(polled.data(), polled.size(), poll_milliseconds(deadline.left(most)));
}

Error Race::nobody(TimePoint since, bool late) const {
  std::string all;
  for (const Attempt& attempt : attempts_) all += "\n  " + attempt.text();
  const bool only_loopback = std::all_of(attempts_.begin(), attempts_.end(),
                                         [](const Attempt& a) { return a.to().ip.loopback(); });
  if (only_loopback)
    all +=
        "\nA loopback address leads every host to itself: if that rank is on another host, name it "
        "by an address that others reach (a host's own name may stand for 127.0.1.1 in "
        "/etc/hosts)";
  return {late ? Code::timed_out : Code::remote_error,
          fmt::format("rank {}: could not reach {}{}; it tried:{}{}", hello_.rank, call_.whom,
                      late ? ", within " + seconds_text(Clock::now() - since) : "", all,
                      late ? "" : "\nThe id may be stale: make a new one for each job")};
}

Result<Answered> Race::run(Deadline deadline) {
  const TimePoint began = Clock::now();
  while (true) {
    for (Attempt& attempt : attempts_) {
      const TimePoint now = Clock::now();
      if (attempt.state() == State::idle && attempt.start() <= now && next_opening() <= now)
        attempt.open();
      const Attempt* const first = greeted();
      if (attempt.advance(secret_, hello_, !first || first == &attempt, counters_))
        return Answered{attempt.take_socket(), attempt.to(), attempt.answer()};
    }
    if (over()) return fail(nobody(began, false));
    if (deadline.passed()) return fail(nobody(began, true));
    sleep(deadline);
  }
}

}  // namespace

Result<Answered> call(const Call& call, const Secret& secret, const Hello& hello, Deadline deadline,
                      Counters& counters) {
  return Race(call, secret, hello, counters).run(deadline);
}

}  // namespace weft::bootstrap
