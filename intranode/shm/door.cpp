#include "intranode/shm/door.hpp"

#include <sys/epoll.h>

#include <cerrno>

#include "base/log.hpp"
#include "intranode/shm/socket.hpp"

namespace weft::shm {
namespace {

constexpr auto retry_pause = std::chrono::milliseconds(5);
// Far more than a peer needs that is not being debugged: who says nothing for so long is no peer.
constexpr auto patience_with_guests = std::chrono::seconds(10);
constexpr std::size_t most_guests = 1024;

bool watch(int epoll, int socket) {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = Door::event}};
  return ::epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) == 0;
}

}  // namespace

Result<Listener> Listener::open() {
  std::array<std::byte, 16> random;
  fill_random(random);
  Listener listener;
  listener.name = "weft-" + to_hex(random);
  WEFT_ASSIGN(listener.socket, listen_at(listener.name));
  return listener;
}

Result<Door> Door::open(const Self& self, int epoll, Listener listener) {
  if (!watch(epoll, listener.socket.get()))
    return fail_errno(errno, "watching the listener @" + listener.name);
  return Door(self, epoll, std::move(listener));
}

void Door::call(u32 peer, const std::string& name) {
  const TimePoint now = Clock::now();
  calls_.push_back({.peer = peer,
                    .name = name,
                    .since = now,
                    .next_try = now,
                    .introduction = {},
                    .trouble = {}});
}

bool Door::must_retry() const {
  for (const Call& call : calls_)
    if (!call.introduction) return true;
  return false;
}

void Door::poll(const Admit& admit) {
  let_in();
  std::erase_if(guests_, [&](Introduction& guest) { return step_guest(guest, admit); });
  std::erase_if(calls_, [&](Call& call) { return step_call(call, admit); });
}

void Door::let_in() {
  while (guests_.size() < most_guests) {
    Fd socket = accept_from(listener_.socket.get());
    if (!socket) return;
    if (watch(epoll_, socket.get()))
      guests_.push_back(Introduction::answer(self_, std::move(socket)));
  }
}

// True when the guest has been dealt with.
bool Door::step_guest(Introduction& guest, const Admit& admit) {
  const Introduction::Outcome outcome = guest.step();
  if (outcome == Introduction::Outcome::pending &&
      Clock::now() - guest.since() < patience_with_guests)
    return false;
  if (outcome == Introduction::Outcome::proven) {
    const u32 peer = guest.peer();
    if (admit({.peer = peer, .socket = guest.take_socket(), .called = false})) return true;
  }
  ++strangers_;
  log::info("rank {}: dropped a stranger at the shared-memory door @{}", self_.rank,
            listener_.name);
  return true;
}

bool Door::step_call(Call& call, const Admit& admit) {
  if (!call.introduction) try_call(call);
  if (!call.introduction) return false;
  switch (call.introduction->step()) {
    case Introduction::Outcome::pending: return false;
    case Introduction::Outcome::proven:
      admit({.peer = call.peer, .socket = call.introduction->take_socket(), .called = true});
      return true;
    case Introduction::Outcome::left:
      call.trouble = "it closed the connection before it had introduced itself";
      call.introduction.reset();
      return false;
    case Introduction::Outcome::stranger:
      ++strangers_;
      admit({.peer = call.peer, .socket = Fd(), .called = true});
      return true;
  }
  return true;
}

void Door::try_call(Call& call) {
  const TimePoint now = Clock::now();
  if (now < call.next_try) return;
  call.next_try = now + retry_pause;
  auto socket = connect_to(call.name);
  if (!socket) {
    call.trouble = socket.error().text;
  } else if (watch(epoll_, socket->get())) {
    call.introduction = Introduction::call(self_, std::move(*socket), call.peer);
  }
}

std::string Door::describe(u32 peer) const {
  for (const Call& call : calls_) {
    if (call.peer != peer) continue;
    const std::chrono::duration<double> waited = Clock::now() - call.since;
    std::string text = fmt::format("connecting to @{} for {:.1f} s", call.name, waited.count());
    if (!call.trouble.empty()) text += " (" + call.trouble + ")";
    return text;
  }
  return "waiting for its call";
}

}  // namespace weft::shm
