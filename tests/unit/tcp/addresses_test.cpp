// Addresses as text and back, what this host offers, and the environment variables.
#include "net/tcp/addresses.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "net/tcp/sockets.hpp"
#include "net/tcp/tcp.hpp"

namespace weft::tcp {
namespace {

TEST(Address, TextAndBack) {
  for (const char* text : {"127.0.0.1:1", "192.0.2.17:65535", "[::1]:4711", "[2001:db8::7]:80"})
    EXPECT_EQ(Address::from_text(text).value().text(), text);
  for (const char* text : {"", ":", "1.2.3.4", "1.2.3.4:", "1.2.3.4:0", "1.2.3.4:65536", "host:80",
                           "1.2.3.4:80x", "[::1]", "[::1:80", "300.1.1.1:80"})
    EXPECT_FALSE(Address::from_text(text)) << text;
}

TEST(Address, KnowsTheHostsOwnLoopback) {
  EXPECT_TRUE(Address::from_host("127.0.0.1")->is_loopback());
  EXPECT_TRUE(Address::from_host("127.8.0.9")->is_loopback());
  EXPECT_TRUE(Address::from_host("::1")->is_loopback());
  EXPECT_FALSE(Address::from_host("128.0.0.1")->is_loopback());
  EXPECT_FALSE(Address::from_host("2001:db8::1")->is_loopback());
}

TEST(Contact, TextAndBackAndNeverTooLong) {
  Contact contact{3, 0xfedcba9876543210, {}};
  for (int i = 0; i < 40; ++i) {
    Address address = Address::from_host(fmt::format("2001:db8::1234:5678:{:x}", i)).value();
    address.set_port(40'000);
    contact.addresses.push_back(address);
    const std::string text = contact.text();
    ASSERT_LE(text.size(), 512u);
    const Contact back = Contact::from_text(text).value();
    EXPECT_EQ(back.rank, 3u);
    EXPECT_EQ(back.id, contact.id);
    EXPECT_EQ(back.text(), text);
    EXPECT_EQ(back.addresses[0].text(), contact.addresses[0].text()) << "the best is kept";
  }
}

TEST(LocalAddresses, LoopbackComesLastAndLinkLocalNever) {
  const auto all = local_addresses({}).value();
  ASSERT_FALSE(all.empty());
  bool loopback = false;
  for (const Address& address : all) {
    EXPECT_TRUE(!loopback || address.is_loopback()) << address.text();
    loopback = address.is_loopback();
    EXPECT_EQ(address.text().find("[fe80"), std::string::npos);
  }
}

TEST(LocalAddresses, ByNameAndByNumberInTheOrderGiven) {
  EXPECT_EQ(local_addresses({"127.0.0.1"})->at(0).text(), "127.0.0.1:0");
  const auto by_name = local_addresses({"lo"}).value();
  for (const Address& address : by_name) EXPECT_TRUE(address.is_loopback());
  EXPECT_EQ(local_addresses({"127.0.0.2", "127.0.0.1"})->at(1).text(), "127.0.0.1:0");
  const auto none = local_addresses({"lo", "nosuch0"});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text.find("nosuch0"), std::string::npos);
}

TEST(Listening, TakesTheNextFreePortOfARangeAndSaysWhenThereIsNone) {
  Address first = Address::from_host("127.0.0.1").value();
  const Fd taken = listen_on(&first, 0, 0).value();
  ASSERT_NE(first.port(), 0);

  Address second = Address::from_host("127.0.0.1").value();
  const auto none = listen_on(&second, first.port(), first.port());
  ASSERT_FALSE(none) << "one port, and it is taken";
  EXPECT_NE(none.error().text.find("WEFT_PORT_RANGE"), std::string::npos);

  Address third = Address::from_host("127.0.0.1").value();
  const u16 last = static_cast<u16>(std::min(first.port() + 50, 65'535));
  const auto next = listen_on(&third, first.port(), last);
  ASSERT_TRUE(next) << next.error().text;
  EXPECT_GT(third.port(), first.port());
  EXPECT_LE(third.port(), last);
}

TEST(Environment, IsReadAndRefusedInWords) {
  const auto with = [](const char* name, const char* value) {
    ::setenv(name, value, 1);
    auto options = Options::from_environment();
    ::unsetenv(name);
    return options;
  };
  EXPECT_EQ(with("WEFT_INTERFACE", "eth1,::1")->interfaces,
            (std::vector<std::string>{"eth1", "::1"}));
  EXPECT_EQ(with("WEFT_PORT_RANGE", "2000-2010")->first_port, 2000);
  EXPECT_EQ(with("WEFT_PORT_RANGE", "2000-2010")->last_port, 2010);
  EXPECT_EQ(with("WEFT_PORT_RANGE", "2000")->last_port, 2000);
  EXPECT_EQ(with("WEFT_PORT_RANGE", "0")->last_port, 0);
  EXPECT_EQ(with("WEFT_TCP_SOCKETS", "7")->sockets, 7);
  for (const char* wrong : {"2010-2000", "0-9", "-", "2000-", "x", "70000", "2000-2010x"}) {
    const auto options = with("WEFT_PORT_RANGE", wrong);
    ASSERT_FALSE(options) << wrong;
    EXPECT_NE(options.error().text.find(wrong), std::string::npos);
  }
  EXPECT_FALSE(with("WEFT_TCP_SOCKETS", "0"));
  EXPECT_FALSE(with("WEFT_TCP_SOCKETS", "65"));
}

}  // namespace
}  // namespace weft::tcp
