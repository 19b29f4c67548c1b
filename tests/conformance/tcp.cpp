// The tcp transport against the suite: IPv4 and IPv6, one socket a peer and three, and strangers.
#include "net/tcp/tcp.hpp"

#include <sys/socket.h>

#include "base/handle.hpp"
#include "net/tcp/addresses.hpp"
#include "net/tcp/hello.hpp"
#include "tests/conformance/suite.hpp"

namespace weft::conformance {
namespace {

using Sockets = std::vector<Fd>;

Fd dial(const tcp::Address& address) {
  Fd fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(fd.get(), address.raw(), address.size), 0) << address.text();
  return fd;
}

void say(const Fd& fd, std::span<const std::byte> bytes) {
  ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

tcp::Hello hello_to(const tcp::Contact& contact) {
  tcp::Hello hello;
  hello.rails = 1;
  hello.to = contact.rank;
  hello.ranks = 2;
  hello.door_id = contact.id;
  return hello;
}

// Everything a stranger may try: each on a socket of its own, left open where that is the trick.
Attack attack(const std::string& text, u8 rails) {
  const tcp::Contact contact = tcp::Contact::from_text(text).value();
  auto held = std::make_shared<Sockets>();
  Attack made;
  for (const tcp::Address& address : contact.addresses) {
    tcp::Hello right = hello_to(contact);
    right.rails = rails;
    tcp::Hello wrong_version = right, wrong_door = right, wrong_ranks = right, wrong_rail = right;
    wrong_version.version = 99;
    wrong_door.door_id ^= 1;
    wrong_ranks.ranks = 3;
    wrong_rail.rail = rails;
    for (const tcp::Hello& hello : {wrong_version, wrong_door, wrong_ranks, wrong_rail})
      say(held->emplace_back(dial(address)), tcp::bytes_of(hello));

    say(held->emplace_back(dial(address)), Bytes(1000, std::byte{'x'}));     // garbage
    held->emplace_back(dial(address));                                       // silence
    dial(address);                                                           // gone at once
    say(held->emplace_back(dial(address)), tcp::bytes_of(right).first(40));  // half a hello
    say(held->emplace_back(dial(address)), tcp::bytes_of(right));  // a hello, and then no proof
    say(held->emplace_back(dial(address)), tcp::bytes_of(right));  // and then a false one
    say(held->back(), Bytes(sizeof(tcp::Proof), std::byte{1}));
    // A false proof with a put right behind it.
    Bytes with_data(sizeof(tcp::Proof) + 200, std::byte{1});
    say(held->emplace_back(dial(address)), tcp::bytes_of(right));
    say(held->back(), with_data);
    made.strangers += 11;
  }
  made.hold = held;
  return made;
}

Kind tcp_kind(const std::string& name, const std::string& interface, u8 sockets) {
  tcp::Options options;
  options.interfaces = {interface};
  options.sockets = sockets;
  options.hello_timeout = std::chrono::seconds(1);  // the test of strangers waits for it
  Kind kind;
  kind.name = name;
  kind.make = [options](const Secret& job, u32 rank, u32 ranks) {
    return tcp::create({job, rank, ranks}, options);
  };
  kind.attack = [sockets](const std::string& address) { return attack(address, sockets); };
  return kind;
}

INSTANTIATE_TEST_SUITE_P(Tcp, Conformance,
                         testing::Values(tcp_kind("v4_one_socket", "127.0.0.1", 1),
                                         tcp_kind("v4_three_sockets", "127.0.0.1", 3),
                                         tcp_kind("v6_one_socket", "::1", 1),
                                         tcp_kind("v6_three_sockets", "::1", 3)),
                         name_of_kind);

}  // namespace
}  // namespace weft::conformance
