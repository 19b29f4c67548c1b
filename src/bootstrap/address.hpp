// Where a rank can be reached: IPv4 and IPv6 addresses, and the short list of them that travels.
//
// A Contact is what a rank tells others about its listener: several addresses, one port. Nobody can
// know from one host which of them another host reaches, so whoever calls tries them all.
// Link-local IPv6 addresses mean nothing without the name of a local interface and do not travel.
// Threads: values and pure functions.
#pragma once
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"
#include "bootstrap/wire.hpp"

namespace weft::bootstrap {

struct Ip {
  bool v6 = false;
  std::array<u8, 16> bytes{};  // an IPv4 address uses the first four
  u32 scope = 0;               // the interface of a link-local IPv6 address, on this host only

  bool operator==(const Ip&) const = default;
  bool loopback() const;
  bool link_local() const;
  std::string text() const;
};

struct Address {
  Ip ip;
  u16 port = 0;

  bool operator==(const Address&) const = default;
  std::string text() const;  // "10.0.0.7:4711", "[fd00::7]:4711"
  socklen_t to_sockaddr(sockaddr_storage& out) const;
  static Address of(const sockaddr_storage& in);  // IPv4 mapped into IPv6 is given as IPv4
};

struct Contact {
  static constexpr std::size_t list_bytes = 80;  // four IPv6 and two IPv4, or sixteen IPv4
  static constexpr std::size_t size = 2 + list_bytes;

  u16 port = 0;
  std::vector<Ip> ips;  // best first

  bool operator==(const Contact&) const = default;
  std::vector<Address> addresses() const;
  void write(Writer& writer) const;  // always `size` bytes; addresses that do not fit are left out
  static Contact read(Reader& reader);
};

// Addresses of a host's name, or of an address written out.
Result<std::vector<Ip>> resolve(const std::string& host);

// This host's addresses on the interfaces of WEFT_INTERFACE in that order, or else on all that are
// up; loopback only if named or if there is nothing else.
Result<std::vector<Ip>> local_ips();

}  // namespace weft::bootstrap
