// Faults: a peer's end and a peer's lies are told once, touch nobody else, and write nowhere.
#include <algorithm>

#include "base/clock.hpp"
#include "tests/conformance/suite.hpp"

namespace weft::conformance {
namespace {

bool all_zero(std::span<const std::byte> memory) {
  return std::all_of(memory.begin(), memory.end(), [](std::byte b) { return b == std::byte{0}; });
}

// Once, and with a text that says who.
void expect_one_break(Rank& rank, Peer peer) {
  ASSERT_EQ(rank.log.breaks.size(), 1u);
  EXPECT_EQ(rank.log.breaks[0].first, peer);
  EXPECT_NE(rank.log.breaks[0].second.code, Code::ok);
  const std::string text = rank.log.breaks[0].second.text;
  EXPECT_NE(text.find(fmt::format("rank {}", peer)), std::string::npos) << text;
}

void expect_link_works(Fleet& fleet, u32 from, u32 to) {
  const u64 before = fleet[to].log.arrivals;
  fleet.put(from, to, 0, 0, pattern(77, 1000), bytes_of(77));
  ASSERT_TRUE(fleet.until([&] { return fleet[to].log.arrivals == before + 1; }));
  EXPECT_TRUE(holds_pattern(fleet.memory(to).first(1000), 77));
}

TEST_P(Conformance, AnEndIsToldOnce) {
  Fleet fleet(kind(), 3);
  fleet.connect_all();
  const Bytes bytes = pattern(1, 4000);
  const transport::Piece piece(bytes);
  const RemoteAddress to{fleet[1].region.key, 0};
  for (int i = 0; i < 100; ++i) fleet[0].transport->put(1, 0, to, {&piece, 1}, bytes_of(1), 9);
  fleet[1].transport.reset();  // with all that on the way
  ASSERT_TRUE(
      fleet.until([&] { return !fleet[0].log.breaks.empty() && !fleet[2].log.breaks.empty(); }));
  const std::size_t completions = fleet[0].log.completions.size();
  fleet.poll_for_a_while();
  for (const u32 rank : {0u, 2u}) {
    expect_one_break(fleet[rank], 1);
    Transport& transport = *fleet[rank].transport;
    EXPECT_FALSE(transport.connected(1));
    EXPECT_EQ(transport.put(1, 0, to, {&piece, 1}, {}, 0), Posted::broken);
    EXPECT_EQ(transport.notify(1, 0, bytes_of(1)), Posted::broken);
    EXPECT_TRUE(transport.fence(1)) << "nothing is left to wait for";
    EXPECT_TRUE(transport.map(1, to.key).empty());
    EXPECT_FALSE(transport.describe(1).empty());
  }
  EXPECT_EQ(fleet[0].log.completions.size(), completions) << "a completion after the break";
  expect_link_works(fleet, 0, 2);
  expect_link_works(fleet, 2, 0);
}

TEST_P(Conformance, ACutIsToldToBothEndsAndTouchesNobodyElse) {
  Fleet fleet(kind(), 3);
  fleet.connect_all();
  fleet[0].transport->cut(1);
  ASSERT_TRUE(
      fleet.until([&] { return !fleet[0].log.breaks.empty() && !fleet[1].log.breaks.empty(); }));
  fleet[0].transport->cut(1);
  fleet.poll_for_a_while();
  expect_one_break(fleet[0], 1);
  expect_one_break(fleet[1], 0);
  EXPECT_NE(fleet[0].log.breaks[0].second.text.find("cut on purpose"), std::string::npos);
  EXPECT_EQ(fleet[0].transport->notify(1, 0, bytes_of(1)), Posted::broken);
  EXPECT_EQ(fleet[1].transport->notify(0, 0, bytes_of(1)), Posted::broken);
  expect_link_works(fleet, 0, 2);
  expect_link_works(fleet, 1, 2);
}

TEST_P(Conformance, WhatHadLeftArrivesBeforeTheEnd) {
  Fleet fleet(kind(), 2);
  fleet.connect_all();
  for (u64 i = 0; i < 50; ++i) fleet.put(1, 0, 0, i * 1000, pattern(i, 1000), bytes_of(i));
  ASSERT_TRUE(fleet.until([&] { return fleet[1].transport->fence(0); }));
  fleet[1].transport.reset();
  ASSERT_TRUE(fleet.until([&] { return !fleet[0].log.breaks.empty(); }));
  EXPECT_EQ(fleet[0].log.arrivals, 50u);
  for (u64 i = 0; i < 50; ++i)
    EXPECT_TRUE(holds_pattern(fleet.memory(0).subspan(i * 1000, 1000), i));
}

TEST_P(Conformance, APutOutsideBreaksTheLinkAndWritesNowhere) {
  struct Lie {
    const char* what;
    u64 offset;
    std::size_t bytes;
    bool own_key;  // of the region; else one that is not there
  };
  const u64 size = Fleet::region_bytes;
  const Lie lies[] = {
      {"begins behind the end", size + 1, 1, true},
      {"ends behind the end", size - 99, 100, true},
      {"empty, behind the end", size + 1, 0, true},
      {"wraps around", ~u64{0} - 49, 100, true},
      {"no such region", 0, 100, false},
      {"empty, no such region", 0, 0, false},
  };
  for (const Lie& lie : lies) {
    SCOPED_TRACE(lie.what);
    Fleet fleet(kind(), 3);
    const Region released = fleet[1].transport->allocate(4096).value();
    fleet[1].transport->release(released.key);
    fleet.connect_all();
    const Bytes bytes(lie.bytes, std::byte{0xff});
    const transport::Piece piece(bytes);
    const RemoteAddress to{lie.own_key ? fleet[1].region.key : released.key, lie.offset};
    ASSERT_TRUE(fleet.until([&] {
      return fleet[0].transport->put(1, 0, to, {&piece, 1}, bytes_of(1), 0) != Posted::busy;
    }));
    ASSERT_TRUE(
        fleet.until([&] { return !fleet[1].log.breaks.empty() && !fleet[0].log.breaks.empty(); }));
    fleet.poll_for_a_while();
    expect_one_break(fleet[1], 0);
    expect_one_break(fleet[0], 1);
    EXPECT_TRUE(all_zero(fleet.memory(1)));
    EXPECT_EQ(fleet[1].log.arrivals, 0u);
    EXPECT_TRUE(fleet[2].log.breaks.empty());
    expect_link_works(fleet, 2, 1);
    expect_link_works(fleet, 1, 2);
  }
}

TEST_P(Conformance, AnotherJobsRankIsAStranger) {
  // Two transports that believe to be one job, with different secrets.
  auto low = kind().make(Secret::random(), 0, 2).value();
  auto high = kind().make(Secret::random(), 1, 2).value();
  const Region region = high->allocate(4096).value();
  Log low_log, high_log;
  (void)low->connect(1, high->address());
  (void)high->connect(0, low->address());
  const Deadline deadline = Deadline::after(std::chrono::seconds(60));
  const Bytes bytes = pattern(1, 100);
  const transport::Piece piece(bytes);
  while (low->counters().strangers_dropped + high->counters().strangers_dropped == 0) {
    ASSERT_FALSE(deadline.passed()) << low->describe(1) << "; " << high->describe(0);
    low->poll(low_log);
    high->poll(high_log);
    const Posted posted = low->put(1, 0, {region.key, 0}, {&piece, 1}, bytes_of(1), 0);
    EXPECT_TRUE(posted == Posted::busy || posted == Posted::broken);
  }
  for (int i = 0; i < 2000; ++i) {
    low->poll(low_log);
    high->poll(high_log);
    low->put(1, 0, {region.key, 0}, {&piece, 1}, bytes_of(1), 0);
  }
  EXPECT_FALSE(low->connected(1));
  EXPECT_FALSE(high->connected(0));
  EXPECT_EQ(low_log.arrivals + high_log.arrivals, 0u);
  EXPECT_TRUE(all_zero(region.bytes));
  EXPECT_LE(low_log.breaks.size(), 1u);
  EXPECT_LE(high_log.breaks.size(), 1u);
}

TEST_P(Conformance, StrangersAtTheDoorAreDroppedAndCounted) {
  if (!kind().attack) GTEST_SKIP() << kind().name << " has no door to strangers";
  // The last rank has a door if any has.
  Fleet fleet(kind(), 2);
  const Attack first = kind().attack(fleet[1].transport->address());
  ASSERT_GT(first.strangers, 0u);
  const auto dropped = [&] { return fleet[1].transport->counters().strangers_dropped; };
  EXPECT_TRUE(fleet.until([&] { return dropped() == first.strangers; })) << dropped();
  // Again, and this time the peers come while the strangers are still at the door.
  const Attack second = kind().attack(fleet[1].transport->address());
  fleet.connect_all();
  expect_link_works(fleet, 0, 1);
  expect_link_works(fleet, 1, 0);
  for (u32 rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(fleet[rank].log.arrivals, 1u);
    EXPECT_TRUE(fleet[rank].log.breaks.empty());
  }
}

TEST_P(Conformance, ConnectingInAnyOrderAnyNumberOfTimes) {
  for (const u32 first : {0u, 1u}) {
    Fleet fleet(kind(), 2);
    const std::string addresses[] = {fleet[0].transport->address(), fleet[1].transport->address()};
    EXPECT_LE(addresses[0].size(), 512u);
    ASSERT_TRUE(fleet[first].transport->connect(1 - first, addresses[1 - first]));
    fleet.poll_for_a_while();
    EXPECT_EQ(fleet[1 - first].transport->put(first, 0, {fleet[first].region.key, 0}, {}, {}, 0),
              Posted::busy)
        << "not connected yet";
    fleet.connect_all();
    fleet.connect_all();
    expect_link_works(fleet, 0, 1);
    for (u32 rank = 0; rank < 2; ++rank) {
      const transport::Counters counters = fleet[rank].transport->counters();
      EXPECT_EQ(counters.strangers_dropped, 0u);
      EXPECT_GT(counters.connections_opened + counters.connections_accepted, 0u);
      EXPECT_TRUE(fleet[rank].log.breaks.empty());
    }
  }
}

TEST_P(Conformance, ConnectRefusesNonsense) {
  Fleet fleet(kind(), 2);
  Transport& transport = *fleet[0].transport;
  const std::string right = fleet[1].transport->address();
  EXPECT_FALSE(transport.connect(0, transport.address())) << "itself";
  EXPECT_FALSE(transport.connect(2, right)) << "no such rank";
  for (const char* nonsense : {"", "nonsense", "tcp", "loopback:1", "\xff\xfe"})
    EXPECT_FALSE(transport.connect(1, nonsense)) << nonsense;
  fleet.connect_all();  // and none of it did harm
  expect_link_works(fleet, 0, 1);
}

}  // namespace
}  // namespace weft::conformance
