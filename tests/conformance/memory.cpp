// Memory: every length, place and cutting into pieces; the caller's memory; the peer's, mapped.
#include <algorithm>
#include <numeric>

#include "tests/conformance/suite.hpp"

namespace weft::conformance {
namespace {

TEST_P(Conformance, FreshMemoryIsZero) {
  Fleet fleet(kind(), 1);
  for (const std::byte byte : fleet.memory(0)) ASSERT_EQ(byte, std::byte{0});
  EXPECT_FALSE(fleet[0].transport->allocate(0));
}

TEST_P(Conformance, ZeroLengthWritesNothingAndDeliversItsNotice) {
  Fleet fleet(kind(), 2);
  fleet.connect_all();
  const std::size_t end = fleet.memory(1).size();
  fleet.put(0, 1, 0, 0, Bytes{}, bytes_of(1));
  fleet.put(0, 1, 0, end, Bytes{}, bytes_of(2));  // at the end, not beyond it
  fleet.put(0, 1, 0, 5, std::span<const transport::Piece>{}, bytes_of(3));
  ASSERT_TRUE(fleet.until([&] { return fleet[1].log.notices.size() == 3; }));
  for (u64 i = 0; i < 3; ++i) EXPECT_EQ(number_in(fleet[1].log.notices[i].second), i + 1);
  for (const std::byte byte : fleet.memory(1)) ASSERT_EQ(byte, std::byte{0});
  EXPECT_TRUE(fleet[1].log.breaks.empty());
}

TEST_P(Conformance, LargestPut) {
  constexpr std::size_t bytes = (24 << 20) + 13;  // more than any buffer on the way
  Fleet fleet(kind(), 2, bytes);
  fleet.connect_all();
  fleet.put(0, 1, 0, 0, pattern(3, bytes), bytes_of(3));
  ASSERT_TRUE(fleet.until([&] { return fleet[1].log.arrivals == 1; }));
  EXPECT_TRUE(holds_pattern(fleet.memory(1), 3));
  EXPECT_EQ(fleet[0].transport->counters().bytes_sent, bytes);
  EXPECT_EQ(fleet[1].transport->counters().bytes_received, bytes);
}

TEST_P(Conformance, EveryAlignment) {
  Fleet fleet(kind(), 2);
  fleet.connect_all();
  u64 message = 0;
  for (std::size_t source = 0; source < 16; ++source)
    for (std::size_t target = 1; target < 16; ++target) {
      constexpr std::size_t bytes = 67;
      ++message;
      Bytes whole(source);
      const Bytes sent = pattern(message, bytes);
      whole.insert(whole.end(), sent.begin(), sent.end());
      const transport::Piece piece(whole.data() + source, bytes);
      const std::byte before = fleet.memory(1)[target - 1], after = fleet.memory(1)[target + bytes];
      fleet.put(0, 1, 0, target, {&piece, 1}, bytes_of(message));
      ASSERT_TRUE(fleet.until([&] { return fleet[1].log.arrivals == message; }));
      ASSERT_TRUE(holds_pattern(fleet.memory(1).subspan(target, bytes), message));
      ASSERT_EQ(fleet.memory(1)[target - 1], before);
      ASSERT_EQ(fleet.memory(1)[target + bytes], after);
    }
}

TEST_P(Conformance, ManyPieces) {
  Fleet fleet(kind(), 2, 1 << 20);
  fleet.connect_all();
  for (const std::size_t unit : {std::size_t{1}, std::size_t{17}, std::size_t{500}}) {
    // Piece i has i units, every seventh none: together one pattern.
    std::vector<std::size_t> sizes(transport::max_pieces);
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = i % 7 ? i * unit : 0;
    const std::size_t total = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    const Bytes whole = pattern(unit, total);
    std::vector<Bytes> copies;  // apart from each other
    std::vector<transport::Piece> pieces;
    for (std::size_t i = 0, at = 0; i < sizes.size(); at += sizes[i++])
      copies.emplace_back(whole.begin() + static_cast<std::ptrdiff_t>(at),
                          whole.begin() + static_cast<std::ptrdiff_t>(at + sizes[i]));
    for (const Bytes& copy : copies) pieces.emplace_back(copy);
    fleet[1].log.arrivals = 0;
    fleet.put(0, 1, 0, 3, pieces, bytes_of(unit));
    ASSERT_TRUE(fleet.until([&] { return fleet[1].log.arrivals == 1; }));
    EXPECT_TRUE(holds_pattern(fleet.memory(1).subspan(3, total), unit)) << unit;
  }
}

TEST_P(Conformance, TheCallersMemory) {
  if (!kind().registers) GTEST_SKIP() << kind().name << " cannot write into foreign memory";
  Fleet fleet(kind(), 2);
  Bytes mine(10'000);
  const Region region =
      fleet[1].transport->register_memory(std::span(mine).subspan(1, 9'998)).value();
  EXPECT_EQ(region.bytes.data(), mine.data() + 1);
  fleet.connect_all();
  const Bytes sent = pattern(9, 9'998);
  const transport::Piece piece(sent);
  ASSERT_TRUE(fleet.until([&] {
    return fleet[0].transport->put(1, 0, {region.key, 0}, {&piece, 1}, bytes_of(9), 0) !=
           Posted::busy;
  }));
  ASSERT_TRUE(fleet.until([&] { return fleet[1].log.arrivals == 1; }));
  EXPECT_TRUE(holds_pattern(region.bytes, 9));
  EXPECT_EQ(mine.front(), std::byte{0});
  EXPECT_EQ(mine.back(), std::byte{0});
  fleet[1].transport->release(region.key);
}

TEST_P(Conformance, KeysAreNotUsedTwice) {
  Fleet fleet(kind(), 1);
  std::vector<transport::RegionKey> keys;
  for (int round = 0; round < 50; ++round) {
    keys.push_back(fleet[0].transport->allocate(100).value().key);
    fleet[0].transport->release(keys.back());
  }
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
  EXPECT_NE(keys.front(), 0u);
}

TEST_P(Conformance, ThePeersMemoryMapped) {
  Fleet fleet(kind(), 2);
  EXPECT_TRUE(fleet[0].transport->map(1, fleet[1].region.key).empty()) << "not connected yet";
  fleet.connect_all();
  const Bytes written = pattern(4, fleet.memory(1).size());
  std::copy(written.begin(), written.end(), fleet.memory(1).begin());
  fleet.notify(1, 0, 0, bytes_of(fleet[1].region.key));
  ASSERT_TRUE(fleet.until([&] { return fleet[0].log.arrivals == 1; }));
  const auto key = static_cast<transport::RegionKey>(number_in(fleet[0].log.notices[0].second));
  const std::span<std::byte> seen = fleet[0].transport->map(1, key);
  if (!kind().maps) {
    EXPECT_TRUE(seen.empty());
    return;
  }
  ASSERT_EQ(seen.size(), fleet.memory(1).size());
  EXPECT_TRUE(holds_pattern(seen, 4));
  EXPECT_EQ(fleet[0].transport->map(1, key).data(), seen.data()) << "mapped once";
  EXPECT_TRUE(fleet[0].transport->map(1, key + 1).empty());
}

}  // namespace
}  // namespace weft::conformance
