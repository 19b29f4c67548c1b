// Where a rank can be reached: the addresses of this host, and the text in which ranks tell theirs.
//
// Threads: values.
#pragma once
#include <sys/socket.h>

#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace weft::tcp {

// An IPv4 or IPv6 address with a port.
struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
  bool is_loopback() const;
  u16 port() const;
  void set_port(u16 port);
  std::string text() const;  // "192.0.2.1:4711", "[2001:db8::1]:4711"
  static Result<Address> from_text(const std::string& text);
  static Result<Address> from_host(const std::string& host);  // "2001:db8::1", port 0
};

// The addresses of this host on the interfaces named (or given as an address), in that order; with
// none named, of all that are up, loopback last. Without link-local ones, which mean nothing to
// another host.
Result<std::vector<Address>> local_addresses(const std::vector<std::string>& interfaces);

// What address() publishes. The id tells this endpoint from any other that may one day have the
// same port, or on another host the same private address.
struct Contact {
  u32 rank = 0;
  u64 id = 0;
  std::vector<Address> addresses;

  std::string text() const;  // "tcp 3 9f0c... 192.0.2.1:4711 [2001:db8::1]:4712"
  static Result<Contact> from_text(const std::string& text);
};

}  // namespace weft::tcp
