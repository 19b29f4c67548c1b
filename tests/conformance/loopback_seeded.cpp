// The loopback transport under weather: the same suite, and that the weather is what it says.
#include <random>

#include "net/loopback/loopback.hpp"
#include "tests/conformance/suite.hpp"

namespace weft::conformance {
namespace {

Kind seeded_kind(const std::string& name, const loopback::Options& options) {
  Kind kind;
  kind.name = name;
  kind.make = [options](const Secret& job, u32 rank, u32 ranks) {
    return loopback::create(job, rank, ranks, options);
  };
  kind.maps = true;
  kind.quiet = false;
  return kind;
}

loopback::Weather weather(u64 seed) {
  loopback::Weather made;
  made.seed = seed;
  return made;
}

// A seed of its own each run; the name of the test says which.
u64 fresh_seed() {
  static const u64 seed = std::random_device()();
  return seed;
}

INSTANTIATE_TEST_SUITE_P(Seeded, Conformance,
                         testing::Values(seeded_kind("seed_1", {.weather = weather(1)}),
                                         seeded_kind("seed_2_two_rails",
                                                     {.rails = 2, .weather = weather(2)}),
                                         seeded_kind(fmt::format("fresh_seed_{}", fresh_seed()),
                                                     {.weather = weather(fresh_seed())})),
                         name_of_kind);

// What rank 0 was told while three ranks sent each other notices, as text.
std::string story(u64 seed) {
  Fleet fleet(seeded_kind("story", {.rails = 2, .weather = weather(seed)}), 3);
  fleet.connect_all();
  std::string told;
  fleet[0].log.on_arrived = [&](Peer from, transport::Notice notice) {
    told += fmt::format("{}:{} ", from, number_in(notice));
  };
  for (u64 i = 0; i < 20; ++i)
    for (const u32 from : {1u, 2u}) fleet.notify(from, 0, static_cast<Rail>(i % 2), bytes_of(i));
  EXPECT_TRUE(fleet.until([&] { return fleet[0].log.arrivals == 40; }));
  return told;
}

TEST(Weather, RepeatsItselfFromItsSeed) {
  EXPECT_EQ(story(7), story(7));
  EXPECT_NE(story(7), story(8));
}

TEST(Weather, ReordersBetweenPeersAndKeepsSomePutsPending) {
  Fleet fleet(seeded_kind("order", {.weather = weather(3)}), 2);
  fleet.connect_all();
  int pending = 0, done = 0;
  for (u64 i = 0; i < 100; ++i)
    (fleet.put(0, 1, 0, 0, pattern(i, 10), bytes_of(i)) == Posted::pending ? pending : done) += 1;
  EXPECT_GT(pending, 10);
  EXPECT_GT(done, 10);
  // Peers overtake each other, each in its own order.
  const std::string told = story(3);
  std::string in_turns;
  for (u64 i = 0; i < 20; ++i) in_turns += fmt::format("1:{} 2:{} ", i, i);
  EXPECT_EQ(told.size(), in_turns.size());
  EXPECT_NE(told, in_turns);
}

TEST(Weather, CutsALinkWhenItsTimeHasCome) {
  loopback::Weather stormy = weather(5);
  stormy.cut = {.peer = 1, .after_posts = 30};
  Fleet fleet(seeded_kind("cut", {.weather = stormy}), 3);
  fleet.connect_all();
  u64 accepted = 0;
  while (accepted < 1000 && fleet.notify(0, 1, 0, bytes_of(accepted)) == Posted::done) ++accepted;
  EXPECT_EQ(accepted, 30u);
  ASSERT_TRUE(
      fleet.until([&] { return !fleet[0].log.breaks.empty() && !fleet[1].log.breaks.empty(); }));
  EXPECT_EQ(fleet[0].log.breaks[0].first, 1u);
  EXPECT_EQ(fleet[1].log.breaks[0].first, 0u);
  EXPECT_NE(fleet[1].log.breaks[0].second.text.find("cut"), std::string::npos);
  EXPECT_EQ(fleet.notify(0, 2, 0, bytes_of(1)), Posted::done);
  EXPECT_TRUE(fleet.until([&] { return fleet[2].log.arrivals == 1; }));
}

}  // namespace
}  // namespace weft::conformance
