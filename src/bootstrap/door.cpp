#include "bootstrap/door.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace weft::bootstrap {

void Door::watch(std::vector<pollfd>& polled) const {
  if (!full())
    for (const Fd& socket : listener_.sockets()) polled.push_back({socket.get(), POLLIN, 0});
  for (const Caller& caller : callers_) polled.push_back({caller.socket.get(), POLLIN, 0});
}

Duration Door::patience_now() const {
  return full() ? std::min(patience_, patience_when_full) : patience_;
}

Duration Door::patience_left() const {
  if (callers_.empty()) return patience_now();
  const Duration waited = Clock::now() - callers_.front().since;
  return std::max<Duration>(patience_now() - waited, std::chrono::milliseconds(1));
}

std::vector<Guest> Door::serve() {
  accept_all();
  std::vector<Guest> guests;
  const TimePoint now = Clock::now();
  const Duration limit = patience_now();
  std::erase_if(callers_, [&](Caller& caller) {
    const Verdict verdict = listen_to(caller, guests);
    const bool turned_away =
        verdict == Verdict::stranger || (verdict == Verdict::wait && now - caller.since > limit);
    counters_.strangers += turned_away;
    return turned_away || verdict == Verdict::guest;
  });
  return guests;
}

void Door::accept_all() {
  short_of_descriptors_ = false;
  for (const Fd& listening : listener_.sockets()) {
    while (callers_.size() < most_waiting) {
      sockaddr_storage name{};
      socklen_t length = sizeof name;
      Fd socket(::accept4(listening.get(), reinterpret_cast<sockaddr*>(&name), &length,
                          SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (!socket) {
        short_of_descriptors_ |= errno == EMFILE || errno == ENFILE;
        break;
      }
      make_prompt(socket.get());
      const Nonce nonce = random_nonce();
      const std::string challenge = make_challenge(nonce);
      ++counters_.accepted;
      // A new socket's buffer is empty: what does not fit has no listener at the other end.
      if (::send(socket.get(), challenge.data(), challenge.size(), MSG_NOSIGNAL) !=
          static_cast<ssize_t>(challenge.size())) {
        ++counters_.strangers;
        continue;
      }
      callers_.push_back({std::move(socket), Address::of(name), nonce, Clock::now(), {}});
    }
  }
  counters_.waiting_peak = std::max(counters_.waiting_peak, static_cast<u32>(callers_.size()));
}

Door::Verdict Door::listen_to(Caller& caller, std::vector<Guest>& guests) {
  char buffer[hello_bytes];
  const ssize_t got = ::recv(caller.socket.get(), buffer, hello_bytes - caller.heard.size(), 0);
  if (got < 0) return errno == EAGAIN || errno == EINTR ? Verdict::wait : Verdict::stranger;
  if (got == 0) return Verdict::stranger;
  caller.heard.append(buffer, static_cast<std::size_t>(got));
  if (caller.heard.size() < hello_bytes) return Verdict::wait;
  const auto proven = read_hello(secret_, caller.nonce, caller.heard);
  if (!proven) return Verdict::stranger;
  guests.push_back(
      {std::move(caller.socket), caller.from, proven->hello, caller.nonce, proven->caller});
  return Verdict::guest;
}

void Door::answer(const Guest& guest, const Answer& answer) const {
  const std::string bytes = make_answer(secret_, guest.acceptor, guest.caller, answer);
  (void)::send(guest.socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

}  // namespace weft::bootstrap
