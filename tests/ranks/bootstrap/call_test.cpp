#include "bootstrap/call.hpp"

#include <gtest/gtest.h>

#include "bootstrap/door.hpp"
#include "ranks.hpp"

namespace weft::bootstrap::test {
namespace {

// Whoever lives behind a door that opens late has been called at all of his addresses by then, and
// must hear of the caller once: a parent would adopt the same child twice and drop the wrong one.
TEST(Calls, GreetOneAddressAtATimeHoweverLateTheDoorIsServed) {
  auto listener = Listener::open({0});
  ASSERT_TRUE(listener) << listener.error().text;
  const auto addresses = listener->contact().addresses();
  if (addresses.size() < 2) GTEST_SKIP() << "the loopback interface has one address only";
  const Secret secret = Secret::random();
  Counters of_door, of_caller;
  Door door(std::move(*listener), secret, of_door);
  Result<Answered> answered = fail(Code::in_progress, "calling");
  std::thread caller([&] {
    const Call both{addresses, "the door", true};
    answered =
        call(both, secret, {.purpose = Purpose::adopt, .rank = 1, .ranks = 2}, soon(), of_caller);
  });
  // Long enough for the caller to be at both addresses before anybody speaks to him.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  std::vector<Guest> guests;
  for (int i = 0; i < 20 || guests.empty(); ++i) {
    for (Guest& guest : door.serve()) guests.push_back(std::move(guest));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(guests.size(), 1u);
  for (const Guest& guest : guests) door.answer(guest, {.rank = 7});
  caller.join();
  ASSERT_TRUE(answered) << answered.error().text;
  EXPECT_EQ(answered->answer.rank, 7u);
}

// To look up is to ask, which may be done twice: a process that was greeted and then stopped, at a
// port that the root might have had, does not keep a rank from the root.
TEST(Calls, WhoStopsAfterTheGreetingDoesNotHoldUpTheOthers) {
  const Secret secret = Secret::random();
  Counters of_door, of_stopped, of_caller;
  auto first = Listener::open({0}), second = Listener::open({0});
  ASSERT_TRUE(first && second);
  const Call both{{first->contact().addresses().front(), second->contact().addresses().front()},
                  "the root",
                  true};
  Door stopped(std::move(*first), secret, of_stopped), door(std::move(*second), secret, of_door);
  Result<Answered> answered = fail(Code::in_progress, "calling");
  std::thread caller(
      [&] { answered = call(both, secret, {.rank = 1, .ranks = 2}, soon(), of_caller); });
  std::size_t greeted = 0;
  for (bool over = false; !over; std::this_thread::sleep_for(std::chrono::milliseconds(10))) {
    greeted += stopped.serve().size();  // and never answers
    for (const Guest& guest : door.serve()) {
      door.answer(guest, {.rank = 7});
      over = true;
    }
  }
  caller.join();
  EXPECT_EQ(greeted, 1u);
  ASSERT_TRUE(answered) << answered.error().text;
  EXPECT_EQ(answered->answer.rank, 7u);
}

}  // namespace
}  // namespace weft::bootstrap::test
