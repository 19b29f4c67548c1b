#include "bootstrap/listener.hpp"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <optional>

#include "base/config.hpp"

namespace weft::bootstrap {
namespace {

Result<Fd> listen_at(const Address& at, bool both_families) {
  const std::string what = "listening on " + at.text();
  const int family = at.ip.v6 ? AF_INET6 : AF_INET;
  Fd socket =
      Fd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)).keep_from_children();
  if (!socket) return fail_errno(errno, what);
  const int on = 1, only_v6 = both_families ? 0 : 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (at.ip.v6) ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only_v6, sizeof only_v6);
  sockaddr_storage name;
  const socklen_t length = at.to_sockaddr(name);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&name), length) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0)
    return fail_errno(errno, what);
  return socket;
}

u16 port_of(const Fd& socket) {
  sockaddr_storage name{};
  socklen_t length = sizeof name;
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &length);
  return Address::of(name).port;
}

struct Bound {
  std::vector<Fd> sockets;
  u16 port = 0;
};

Result<Bound> bind_everywhere(u16 port) {
  WEFT_ASSIGN(Fd socket, [&]() -> Result<Fd> {
    auto both = listen_at({Ip{.v6 = true}, port}, true);
    if (both) return both;
    auto v4 = listen_at({Ip{}, port}, false);  // a host without IPv6
    return v4 ? std::move(v4) : std::move(both);
  }());
  Bound bound;
  bound.port = port_of(socket);
  bound.sockets.push_back(std::move(socket));
  return bound;
}

Result<Bound> bind_each(const std::vector<Ip>& ips, u16 port) {
  Bound bound{.port = port};
  for (const Ip& ip : ips) {
    WEFT_ASSIGN(Fd socket, listen_at({ip, bound.port}, false));
    bound.port = port_of(socket);
    bound.sockets.push_back(std::move(socket));
  }
  return bound;
}

}  // namespace

Result<Listener> Listener::open(const std::vector<u16>& ports) {
  Listener listener;
  WEFT_ASSIGN(listener.contact_.ips, local_ips());
  const bool chosen = config::is_set(config::interface);
  Error last;
  for (const u16 port : ports) {
    // A free port of the first address may be taken on the second: then another free one is tried.
    for (int attempt = 0; attempt < (port == 0 ? 16 : 1); ++attempt) {
      auto bound = chosen ? bind_each(listener.contact_.ips, port) : bind_everywhere(port);
      if (bound) {
        listener.sockets_ = std::move(bound->sockets);
        listener.contact_.port = bound->port;
        return listener;
      }
      last = bound.error();
    }
  }
  if (ports.size() > 1)
    last.text = fmt::format("none of the {} ports from {} to {} can be used; the last said: {}",
                            ports.size(), ports.front(), ports.back(), last.text);
  return fail(std::move(last));
}

Result<std::vector<u16>> allowed_ports() {
  const std::string text = config::text(config::port_range);
  if (text == "0") return std::vector<u16>{0};
  u16 first = 0, last = 0;
  const char* const end = text.data() + text.size();
  const auto [dash, first_error] = std::from_chars(text.data(), end, first);
  const bool has_dash = first_error == std::errc() && dash != end && *dash == '-';
  const auto [stop, last_error] = std::from_chars(has_dash ? dash + 1 : dash, end, last);
  if (!has_dash || last_error != std::errc() || stop != end || first == 0 || last < first)
    return fail(Code::invalid_argument,
                "WEFT_PORT_RANGE={} is not FIRST-LAST with ports from 1 to 65535", text);
  std::vector<u16> ports;
  for (u32 port = first; port <= last; ++port) ports.push_back(static_cast<u16>(port));
  return ports;
}

void make_prompt(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

}  // namespace weft::bootstrap
