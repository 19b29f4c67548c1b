#include "intranode/shm/socket.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

namespace weft::shm {
namespace {

constexpr int type = SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC;

struct Address {
  explicit Address(const std::string& name) {
    WEFT_ASSERT(name.size() < sizeof at.sun_path);
    std::memcpy(at.sun_path + 1, name.data(), name.size());  // a leading zero: abstract
    bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&at); }
  sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = {}};
  socklen_t bytes;
};

// Room for the one descriptor a packet may carry.
union Control {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

std::optional<ucred> credentials_of(int socket) {
  ucred credentials;
  socklen_t bytes = sizeof credentials;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &bytes) != 0) return {};
  return credentials;
}

}  // namespace

Result<Fd> listen_at(const std::string& name) {
  Fd listener = Fd(::socket(AF_UNIX, type, 0)).keep_from_children();
  const Address address(name);
  if (!listener || ::bind(listener.get(), address.get(), address.bytes) != 0 ||
      ::listen(listener.get(), SOMAXCONN) != 0)
    return fail_errno(errno, "listening on the abstract Unix socket @" + name);
  return listener;
}

Result<Fd> connect_to(const std::string& name) {
  Fd socket = Fd(::socket(AF_UNIX, type, 0)).keep_from_children();
  const Address address(name);
  if (!socket || ::connect(socket.get(), address.get(), address.bytes) != 0)
    return fail_errno(errno, "connecting to the abstract Unix socket @" + name);
  return socket;
}

Fd accept_from(int listener) {
  return Fd(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC))
      .keep_from_children();
}

bool is_same_user(int socket) {
  const auto credentials = credentials_of(socket);
  return credentials && credentials->uid == ::geteuid();
}

int process_of(int socket) {
  const auto credentials = credentials_of(socket);
  return credentials ? credentials->pid : 0;
}

Sent send_packet(int socket, std::span<const std::byte> packet, int file) {
  iovec part{const_cast<std::byte*>(packet.data()), packet.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  Control control{};
  if (file >= 0) {
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof file);
    std::memcpy(CMSG_DATA(header), &file, sizeof file);
  }
  for (;;) {
    if (::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return Sent::whole;
    if (errno == EINTR) continue;
    // Too many descriptors on their way through sockets of this user: as good as a full buffer.
    const bool full = errno == EAGAIN || errno == ENOBUFS || errno == ETOOMANYREFS;
    return full ? Sent::full : Sent::closed;
  }
}

Received receive_packet(int socket, std::span<std::byte> buffer) {
  iovec part{buffer.data(), buffer.size()};
  Control control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = &control;
  message.msg_controllen = CMSG_LEN(sizeof(int));  // the kernel drops what is more than one
  ssize_t bytes;
  do {
    // A reset is told before the packets that came ahead of it; the next call has those.
    bytes = ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC | MSG_TRUNC);
  } while (bytes < 0 && (errno == EINTR || errno == ECONNRESET));
  if (bytes < 0 && errno == EAGAIN) return {};
  if (bytes <= 0) return {.kind = Received::closed, .bytes = 0, .file = {}};
  Received received{.kind = Received::packet, .bytes = static_cast<std::size_t>(bytes), .file = {}};
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
    int file;
    std::memcpy(&file, CMSG_DATA(header), sizeof file);
    received.file = Fd(file);
  }
  return received;
}

}  // namespace weft::shm
