#include "control/place.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/secret.hpp"

namespace weft::control {
namespace {

struct UnixAddress {
  explicit UnixAddress(const std::string& name) {
    const std::size_t size = std::min(name.size(), sizeof at.sun_path - 1);
    std::memcpy(at.sun_path + 1, name.data(), size);  // a leading zero: abstract
    bytes = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + size);
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&at); }
  sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = {}};
  socklen_t bytes;
};

Fd make_socket(int family) {
  return Fd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)).keep_from_children();
}

}  // namespace

std::string draw_name(std::string_view prefix) {
  std::array<std::byte, 12> random;
  fill_random(random);
  return std::string(prefix) + to_hex(random);
}

Result<Fd> listen_at(const std::string& name) {
  Fd socket = make_socket(AF_UNIX);
  const UnixAddress address(name);
  if (!socket || ::bind(socket.get(), address.get(), address.bytes) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0)
    return fail_errno(errno, "listening on the abstract Unix socket @" + name);
  return socket;
}

Fd connect_to(const std::string& name, int& error) {
  Fd socket = make_socket(AF_UNIX);
  const UnixAddress address(name);
  const bool connected = socket && ::connect(socket.get(), address.get(), address.bytes) == 0;
  error = connected ? 0 : errno;
  return socket;
}

Fd begin_connecting(const bootstrap::Address& to, int& error) {
  Fd socket = make_socket(to.ip.v6 ? AF_INET6 : AF_INET);
  sockaddr_storage name;
  const socklen_t length = to.to_sockaddr(name);
  error = 0;
  if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), length) != 0)
    error = errno;
  if (error == EINPROGRESS) error = 0;
  return socket;
}

int outcome_of(const Fd& socket) {
  pollfd polled{socket.get(), POLLOUT, 0};
  if (::poll(&polled, 1, 0) == 0) return EINPROGRESS;
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

Fd accept_from(int listener, int& error) {
  const int socket = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  error = socket < 0 ? errno : 0;
  return Fd(socket).keep_from_children();
}

bool is_same_user(int socket) {
  ucred credentials;
  socklen_t bytes = sizeof credentials;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &bytes) == 0 &&
         credentials.uid == ::geteuid();
}

char state_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  return name_end == text.npos || name_end + 2 >= text.size() ? '\0' : text[name_end + 2];
}

bool kernel_answers(int socket, Duration within) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return true;  // no TCP
  return std::chrono::milliseconds(info.tcpi_last_ack_recv) < within;
}

}  // namespace weft::control
