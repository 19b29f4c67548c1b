#include "net/tcp/addresses.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <sstream>

namespace weft::tcp {
namespace {

constexpr std::size_t most_text_bytes = 512;  // of a contact, by transport.hpp

const sockaddr_in& v4(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr_in&>(storage);
}
const sockaddr_in6& v6(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr_in6&>(storage);
}

struct FreeInterfaces {
  void operator()(ifaddrs* list) const { ::freeifaddrs(list); }
};
using Interfaces = std::unique_ptr<ifaddrs, FreeInterfaces>;

Result<Interfaces> list_interfaces() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return fail_errno(errno, "listing this host's network interfaces");
  return Interfaces(list);
}

// The entry's address if a peer can use it.
bool usable(const ifaddrs& entry, Address* address) {
  if (!entry.ifa_addr || !(entry.ifa_flags & IFF_UP)) return false;
  const int family = entry.ifa_addr->sa_family;
  if (family != AF_INET && family != AF_INET6) return false;
  address->size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  std::memcpy(&address->storage, entry.ifa_addr, address->size);
  return family == AF_INET || !IN6_IS_ADDR_LINKLOCAL(&v6(address->storage).sin6_addr);
}

}  // namespace

bool Address::is_loopback() const {
  if (family() == AF_INET) return ntohl(v4(storage).sin_addr.s_addr) >> 24 == 127;
  return IN6_IS_ADDR_LOOPBACK(&v6(storage).sin6_addr);
}

u16 Address::port() const {
  return ntohs(family() == AF_INET ? v4(storage).sin_port : v6(storage).sin6_port);
}

void Address::set_port(u16 port) {
  if (family() == AF_INET)
    reinterpret_cast<sockaddr_in&>(storage).sin_port = htons(port);
  else
    reinterpret_cast<sockaddr_in6&>(storage).sin6_port = htons(port);
}

std::string Address::text() const {
  char host[INET6_ADDRSTRLEN] = "?";
  if (family() == AF_INET) {
    ::inet_ntop(AF_INET, &v4(storage).sin_addr, host, sizeof host);
    return fmt::format("{}:{}", host, port());
  }
  ::inet_ntop(AF_INET6, &v6(storage).sin6_addr, host, sizeof host);
  return fmt::format("[{}]:{}", host, port());
}

Result<Address> Address::from_host(const std::string& host) {
  Address address;
  auto& four = reinterpret_cast<sockaddr_in&>(address.storage);
  auto& six = reinterpret_cast<sockaddr_in6&>(address.storage);
  if (::inet_pton(AF_INET, host.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    address.size = sizeof four;
  } else if (::inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    address.size = sizeof six;
  } else {
    return fail(Code::invalid_argument, "\"{}\" is no numeric IPv4 or IPv6 address", host);
  }
  return address;
}

Result<Address> Address::from_text(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  u16 port = 0;
  if (colon == std::string::npos ||
      std::from_chars(text.data() + colon + 1, text.data() + text.size(), port).ptr !=
          text.data() + text.size() ||
      port == 0)
    return fail(Code::invalid_argument, "\"{}\" is no address with a port", text);
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  WEFT_ASSIGN(Address address, from_host(host));
  address.set_port(port);
  return address;
}

Result<std::vector<Address>> local_addresses(const std::vector<std::string>& interfaces) {
  WEFT_ASSIGN(const Interfaces list, list_interfaces());
  std::vector<Address> found;
  Address address;
  for (const std::string& wanted : interfaces) {
    const std::size_t before = found.size();
    if (auto numeric = Address::from_host(wanted)) found.push_back(*numeric);
    for (const ifaddrs* entry = list.get(); entry; entry = entry->ifa_next)
      if (wanted == entry->ifa_name && usable(*entry, &address)) found.push_back(address);
    if (found.size() == before)
      return fail(Code::invalid_argument,
                  "network interface \"{}\" is not on this host, is down, or has no address that "
                  "other hosts can use; `ip address` lists them, WEFT_INTERFACE names the ones to "
                  "use",
                  wanted);
  }
  if (!interfaces.empty()) return found;

  for (const ifaddrs* entry = list.get(); entry; entry = entry->ifa_next)
    if (usable(*entry, &address)) found.push_back(address);
  std::stable_partition(found.begin(), found.end(),
                        [](const Address& each) { return !each.is_loopback(); });
  if (found.empty())
    return fail(Code::system_error,
                "no network interface of this host is up, not even the loopback one");
  return found;
}

std::string Contact::text() const {
  std::string text = fmt::format("tcp {} {:016x}", rank, id);
  for (const Address& address : addresses) {
    const std::string one = address.text();
    // In order of preference, so what is left off is the least wanted.
    if (text.size() + 1 + one.size() > most_text_bytes) break;
    text += ' ' + one;
  }
  return text;
}

Result<Contact> Contact::from_text(const std::string& text) {
  std::istringstream words(text);
  Contact contact;
  std::string name;
  if (text.size() > most_text_bytes || !(words >> name >> contact.rank >> std::hex >> contact.id) ||
      name != "tcp")
    return fail(Code::invalid_argument, "\"{}\" is no address of the tcp transport",
                text.substr(0, most_text_bytes));
  for (std::string word; words >> word;) {
    WEFT_ASSIGN(Address address, Address::from_text(word));
    contact.addresses.push_back(address);
  }
  return contact;
}

}  // namespace weft::tcp
