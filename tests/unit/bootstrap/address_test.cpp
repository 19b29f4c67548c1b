#include "bootstrap/address.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include "bootstrap/listener.hpp"

namespace weft::bootstrap {
namespace {

using testing::HasSubstr;

// Sets a variable for a scope.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Setting() { ::unsetenv(name_); }

 private:
  const char* name_;
};

TEST(Addresses, ReadBackFromASocketAddressAndHaveATextOfTheirFamily) {
  for (const char* host : {"127.0.0.1", "10.1.2.3", "::1", "fd00::17"}) {
    const auto ips = resolve(host);
    ASSERT_TRUE(ips && ips->size() == 1) << host;
    const Address address{ips->front(), 4711};
    sockaddr_storage raw;
    address.to_sockaddr(raw);
    EXPECT_EQ(Address::of(raw), address);
    EXPECT_THAT(address.text(), HasSubstr(host));
    EXPECT_EQ(address.ip.loopback(),
              std::string(host) == "127.0.0.1" || std::string(host) == "::1");
  }
}

TEST(Addresses, MappedV4IsV4) {
  const auto mapped = resolve("::ffff:10.1.2.3");
  ASSERT_TRUE(mapped);
  EXPECT_EQ(mapped->front().text(), "10.1.2.3");
}

TEST(Addresses, AnUnknownHostIsNamedInTheError) {
  const auto none = resolve("no such host");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text, HasSubstr("\"no such host\""));
}

TEST(Addresses, OfTheChosenInterfacesOnly) {
  const Setting loopback("WEFT_INTERFACE", "lo");
  const auto ips = local_ips();
  ASSERT_TRUE(ips) << ips.error().text;
  for (const Ip& ip : *ips) EXPECT_TRUE(ip.loopback()) << ip.text();
  const Setting missing("WEFT_INTERFACE", "nothing0");
  const auto none = local_ips();
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text,
              testing::AllOf(HasSubstr("nothing0"), HasSubstr("lo (127.0.0.1)")));
}

TEST(Ports, OfTheRangeOnlyAndAnErrorWhenAllAreTaken) {
  const Setting interface("WEFT_INTERFACE", "lo");
  {
    const auto any = allowed_ports();
    ASSERT_TRUE(any);
    EXPECT_EQ(*any, std::vector<u16>{0});
  }
  // Below the ports that the kernel hands out, and another three in each process.
  const auto first = static_cast<u16>(20000 + ::getpid() % 3000 * 3);
  const std::string text = fmt::format("{}-{}", first, first + 2);
  const Setting range("WEFT_PORT_RANGE", text.c_str());
  const auto ports = allowed_ports();
  ASSERT_TRUE(ports) << ports.error().text;
  EXPECT_EQ(*ports,
            (std::vector<u16>{first, static_cast<u16>(first + 1), static_cast<u16>(first + 2)}));
  std::vector<Listener> listeners;
  for (const u16 expected : *ports) {
    auto listener = Listener::open(*ports);
    ASSERT_TRUE(listener) << listener.error().text;
    EXPECT_EQ(listener->contact().port, expected);
    listeners.push_back(std::move(*listener));
  }
  const auto full = Listener::open(*ports);
  ASSERT_FALSE(full);
  EXPECT_THAT(full.error().text,
              HasSubstr(fmt::format("none of the 3 ports from {} to {}", first, first + 2)));
}

TEST(Ports, WrongRangesAreErrors) {
  for (const char* text : {"5", "5-", "-5", "7-5", "0-5", "1-65536", "1-2x", "a-b"}) {
    const Setting range("WEFT_PORT_RANGE", text);
    const auto ports = allowed_ports();
    ASSERT_FALSE(ports) << text;
    EXPECT_THAT(ports.error().text, HasSubstr(text));
  }
}

}  // namespace
}  // namespace weft::bootstrap
