// Addresses that lead nowhere: tried, passed over where one works, and each named with its reason
// where none does. In a network namespace of its own, where it is known what is reachable.
#include <gmock/gmock.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "bootstrap/call.hpp"
#include "bootstrap/door.hpp"
#include "ranks.hpp"

namespace weft::bootstrap::test {
namespace {

using testing::HasSubstr;

// A host with a loopback interface and no other: nothing else has a route.
bool move_to_lonely_host() {
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::snprintf(request.ifr_name, sizeof request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  return ::ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0;
}

// What a body says there; "skipped" where that may not be.
std::string on_lonely_host(const std::function<std::string()>& body) {
  return as_processes(1,
                      [&](u32) -> Status {
                        if (!move_to_lonely_host()) return fail(Code::unsupported, "skipped");
                        return fail(Code::ok, "{}", body());
                      })
      .front();
}

constexpr Ip own{.bytes = {127, 0, 0, 1}}, docker{.bytes = {172, 17, 0, 1}};
constexpr Ip routed_elsewhere{.v6 = true,
                              .bytes = {0xfd, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};

TEST(Unreachable, AddressesAreNamedWithTheirReasons) {
  const std::string said = on_lonely_host([] {
    const Call call{
        {{docker, 4711}, {routed_elsewhere, 4711}, {own, 9}}, "the root of the job", false};
    Counters counters;
    const auto answered = bootstrap::call(call, Secret::random(), {.rank = 1, .ranks = 2},
                                          Deadline::after(std::chrono::seconds(2)), counters);
    return answered ? "answered" : answered.error().text;
  });
  if (said == "skipped") GTEST_SKIP() << "no network namespace for an ordinary user here";
  EXPECT_THAT(said, HasSubstr("rank 1: could not reach the root of the job"));
  EXPECT_THAT(said, HasSubstr("172.17.0.1:4711: Network is unreachable"));
  EXPECT_THAT(said, HasSubstr("[fd00:7::1]:4711: "));
  EXPECT_THAT(said, HasSubstr("127.0.0.1:9: Connection refused"));
}

TEST(Unreachable, AddressesBeforeOneThatWorksDelayLittle) {
  const std::string said = on_lonely_host([]() -> std::string {
    auto listener = Listener::open({0});
    if (!listener) return listener.error().text;
    const Call call{
        {{docker, 4711}, {own, 9}, listener->contact().addresses().front()}, "it", false};
    const Secret secret = Secret::random();
    Counters of_door, of_caller;
    Door door(std::move(*listener), secret, of_door);
    std::string text;
    std::thread caller([&] {
      const auto answered =
          bootstrap::call(call, secret, {.rank = 1, .ranks = 2}, soon(), of_caller);
      text =
          answered ? fmt::format("rank {} answered", answered->answer.rank) : answered.error().text;
    });
    for (bool over = false; !over; std::this_thread::sleep_for(std::chrono::milliseconds(5)))
      for (const Guest& guest : door.serve()) {
        door.answer(guest, {.rank = 7});
        over = true;
      }
    caller.join();
    return text;
  });
  if (said == "skipped") GTEST_SKIP() << "no network namespace for an ordinary user here";
  EXPECT_EQ(said, "rank 7 answered");
}

// /etc/hosts of many systems gives a host's own name 127.0.1.1.
TEST(Unreachable, ANameThatLeadsToItselfIsExplained) {
  const Call call{{{own, 9}}, "rank 0, the root of the job", true};
  Counters counters;
  const auto answered = bootstrap::call(call, Secret::random(), {.rank = 1, .ranks = 2},
                                        Deadline::after(std::chrono::milliseconds(300)), counters);
  ASSERT_FALSE(answered);
  EXPECT_THAT(answered.error().text, HasSubstr("127.0.0.1:9: Connection refused"));
  EXPECT_THAT(answered.error().text, HasSubstr("leads every host to itself"));
}

}  // namespace
}  // namespace weft::bootstrap::test
