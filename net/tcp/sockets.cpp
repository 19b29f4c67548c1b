#include "net/tcp/sockets.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace weft::tcp {
namespace {

constexpr int backlog = 1024;

void set(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

}  // namespace

Result<Poller> Poller::make() {
  Poller poller;
  poller.epoll_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!poller.epoll_) return fail_errno(errno, "making an epoll set");
  poller.timer_ = Fd(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!poller.timer_) return fail_errno(errno, "making a timer");
  poller.add(poller.timer_.get(), EPOLLIN, {Token::Kind::alarm});
  return poller;
}

void Poller::control(int what, int fd, u32 events, Token token) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = std::bit_cast<u64>(token);
  WEFT_ASSERT(::epoll_ctl(epoll_.get(), what, fd, &event) == 0);
}

std::span<epoll_event> Poller::ready(std::span<epoll_event> room) {
  const int count = ::epoll_wait(epoll_.get(), room.data(), static_cast<int>(room.size()), 0);
  return room.first(count > 0 ? static_cast<std::size_t>(count) : 0);
}

void Poller::ring_at(TimePoint when) {
  const bool wanted = when != TimePoint::max();
  if (!wanted && !timer_set_) return;
  itimerspec spec{};
  if (wanted) {
    const auto since = std::max(when.time_since_epoch(), Duration(1));  // 0 would stop the timer
    spec.it_value.tv_sec = static_cast<time_t>(since / std::chrono::seconds(1));
    spec.it_value.tv_nsec = static_cast<long>((since % std::chrono::seconds(1)).count());
  }
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
  timer_set_ = wanted;
}

void Poller::silence() {
  u64 rings = 0;
  (void)!::read(timer_.get(), &rings, sizeof rings);
}

Result<Fd> make_socket(const Address& address) {
  Fd fd = Fd(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))
              .keep_from_children();
  if (!fd) return fail_errno(errno, "making a socket");
  return fd;
}

Result<Fd> listen_on(Address* address, u16 first_port, u16 last_port) {
  int error = 0;
  for (u32 port = first_port; port <= last_port; ++port) {
    WEFT_ASSIGN(Fd fd, make_socket(*address));
    // A range is small, and ports of the job before may linger in TIME_WAIT.
    set(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    if (address->family() == AF_INET6) set(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1);
    address->set_port(static_cast<u16>(port));
    if (::bind(fd.get(), address->raw(), address->size) == 0 && ::listen(fd.get(), backlog) == 0) {
      ::getsockname(fd.get(), address->raw(), &address->size);
      return fd;
    }
    error = errno;
    if (error != EADDRINUSE && error != EACCES) break;
  }
  return fail_errno(error, fmt::format("listening on {} with a port of {}-{} (WEFT_PORT_RANGE; 0 "
                                       "is any free one)",
                                       address->text(), first_port, last_port));
}

int connect_to(int socket, const Address& address) {
  if (::connect(socket, address.raw(), address.size) == 0 || errno == EISCONN) return 0;
  return errno == EALREADY || errno == EINTR ? EINPROGRESS : errno;
}

void tune(int socket) {
  // A message is complete when it is sent; waiting for more to fill a packet only delays it.
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  // A host that vanished while nothing was under way is found out in about a minute. A process that
  // froze is not: its kernel still answers.
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
  // Buffer sizes are left alone on purpose: naming one switches the kernel's own tuning off and is
  // cut to net.core.wmem_max (often 208 KiB), while tuning goes to tcp_wmem[2], 4 MiB by default:
  // the bandwidth-delay product of 100 Gbit/s over 300 microseconds.
}

ssize_t receive(int socket, std::span<std::byte> into) {
  for (;;) {
    const ssize_t got = ::recv(socket, into.data(), into.size(), MSG_DONTWAIT);
    if (got >= 0 || errno != EINTR) return got;
  }
}

bool send_all(int socket, std::span<const std::byte> bytes) {
  return ::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
         static_cast<ssize_t>(bytes.size());
}

std::string name_of_errno(int error_number) {
  char buffer[128];
  return strerror_r(error_number, buffer, sizeof buffer);
}

}  // namespace weft::tcp
