#include "bootstrap/address.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <sstream>

#include "base/config.hpp"

namespace weft::bootstrap {
namespace {

constexpr u8 tag_v4 = 4, tag_v6 = 6;

Ip ip_of(const in_addr& in) {
  Ip ip;
  std::memcpy(ip.bytes.data(), &in, 4);
  return ip;
}

Ip ip_of(const in6_addr& in, u32 scope) {
  if (IN6_IS_ADDR_V4MAPPED(&in)) {
    Ip ip;
    std::memcpy(ip.bytes.data(), in.s6_addr + 12, 4);
    return ip;
  }
  Ip ip{.v6 = true, .scope = scope};
  std::memcpy(ip.bytes.data(), &in, 16);
  return ip;
}

Ip ip_of(const sockaddr* in) {
  if (in->sa_family == AF_INET) return ip_of(reinterpret_cast<const sockaddr_in*>(in)->sin_addr);
  const auto* six = reinterpret_cast<const sockaddr_in6*>(in);
  return ip_of(six->sin6_addr, six->sin6_scope_id);
}

struct Local {
  std::string interface;
  Ip ip;
};

Result<std::vector<Local>> interfaces_up() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return fail_errno(errno, "listing the network interfaces");
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, ::freeifaddrs);
  std::vector<Local> found;
  for (const ifaddrs* i = list; i; i = i->ifa_next) {
    if (!i->ifa_addr || !(i->ifa_flags & IFF_UP)) continue;
    if (i->ifa_addr->sa_family != AF_INET && i->ifa_addr->sa_family != AF_INET6) continue;
    const Ip ip = ip_of(i->ifa_addr);
    if (!ip.link_local()) found.push_back({i->ifa_name, ip});
  }
  return found;
}

Result<std::vector<Ip>> ips_of_named(const std::vector<Local>& all, const std::string& names) {
  std::vector<Ip> ips;
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');)
    for (const Local& local : all)
      if (local.interface == name) ips.push_back(local.ip);
  if (!ips.empty()) return ips;
  std::string known;
  for (const Local& local : all)
    known += (known.empty() ? "" : ", ") + local.interface + " (" + local.ip.text() + ")";
  return fail(Code::invalid_argument,
              "WEFT_INTERFACE={} names no interface that is up and has an address; there are: {}",
              names, known.empty() ? "none" : known);
}

}  // namespace

bool Ip::loopback() const {
  if (!v6) return bytes[0] == 127;
  return std::all_of(bytes.begin(), bytes.end() - 1, [](u8 b) { return b == 0; }) && bytes[15] == 1;
}

bool Ip::link_local() const { return v6 && bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80; }

std::string Ip::text() const {
  char buffer[INET6_ADDRSTRLEN];
  return ::inet_ntop(v6 ? AF_INET6 : AF_INET, bytes.data(), buffer, sizeof buffer);
}

std::string Address::text() const {
  return fmt::format(fmt::runtime(ip.v6 ? "[{}]:{}" : "{}:{}"), ip.text(), port);
}

socklen_t Address::to_sockaddr(sockaddr_storage& out) const {
  out = {};
  if (ip.v6) {
    auto* six = reinterpret_cast<sockaddr_in6*>(&out);
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    six->sin6_scope_id = ip.scope;
    std::memcpy(&six->sin6_addr, ip.bytes.data(), 16);
    return sizeof *six;
  }
  auto* four = reinterpret_cast<sockaddr_in*>(&out);
  four->sin_family = AF_INET;
  four->sin_port = htons(port);
  std::memcpy(&four->sin_addr, ip.bytes.data(), 4);
  return sizeof *four;
}

Address Address::of(const sockaddr_storage& in) {
  const u16 port = in.ss_family == AF_INET ? reinterpret_cast<const sockaddr_in&>(in).sin_port
                                           : reinterpret_cast<const sockaddr_in6&>(in).sin6_port;
  return {ip_of(reinterpret_cast<const sockaddr*>(&in)), ntohs(port)};
}

std::vector<Address> Contact::addresses() const {
  std::vector<Address> all;
  for (const Ip& ip : ips) all.push_back({ip, port});
  return all;
}

void Contact::write(Writer& writer) const {
  Writer list;
  for (const Ip& ip : ips) {
    const std::size_t length = ip.v6 ? 16 : 4;
    if (ip.link_local() || list.get().size() + 1 + length > list_bytes) continue;
    list.number(ip.v6 ? tag_v6 : tag_v4);
    list.bytes(std::string_view(reinterpret_cast<const char*>(ip.bytes.data()), length));
  }
  std::string padded = list.get();
  padded.resize(list_bytes);
  writer.number(port).bytes(padded);
}

Contact Contact::read(Reader& reader) {
  Contact contact;
  contact.port = reader.number<u16>();
  Reader list(reader.bytes(list_bytes));
  while (list.ok()) {
    const u8 tag = list.number<u8>();
    if (tag != tag_v4 && tag != tag_v6) break;
    Ip ip{.v6 = tag == tag_v6};
    const std::string_view raw = list.bytes(ip.v6 ? 16 : 4);
    raw.copy(reinterpret_cast<char*>(ip.bytes.data()), raw.size());
    if (list.ok()) contact.ips.push_back(ip);
  }
  return contact;
}

Result<std::vector<Ip>> resolve(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &list);
  if (error != 0)
    return fail(Code::system_error, "looking up the address of host \"{}\": {}", host,
                error == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(error));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, ::freeaddrinfo);
  std::vector<Ip> ips;
  for (const addrinfo* i = list; i; i = i->ai_next) {
    if (i->ai_family != AF_INET && i->ai_family != AF_INET6) continue;
    const Ip ip = ip_of(i->ai_addr);
    if (std::find(ips.begin(), ips.end(), ip) == ips.end()) ips.push_back(ip);
  }
  if (ips.empty()) return fail(Code::system_error, "host \"{}\" has no IP address", host);
  return ips;
}

Result<std::vector<Ip>> local_ips() {
  WEFT_ASSIGN(const std::vector<Local> all, interfaces_up());
  if (config::is_set(config::interface)) return ips_of_named(all, config::text(config::interface));
  std::vector<Ip> ips, loopback;
  for (const Local& local : all) (local.ip.loopback() ? loopback : ips).push_back(local.ip);
  if (ips.empty()) ips = loopback;
  if (ips.empty()) return fail(Code::system_error, "no network interface is up, not even lo");
  // IPv4 first: shorter on the wire, and more often routed.
  std::stable_partition(ips.begin(), ips.end(), [](const Ip& ip) { return !ip.v6; });
  return ips;
}

}  // namespace weft::bootstrap
