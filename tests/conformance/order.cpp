// Order: a notice after its bytes and after all earlier ones of its (peer, rail), once.
#include "tests/conformance/suite.hpp"

namespace weft::conformance {
namespace {

TEST_P(Conformance, NoticesArriveOnceInOrder) {
  Fleet fleet(kind(), 2);
  fleet.connect_all();
  const Rail rails = fleet[0].transport->rails();
  constexpr u64 count = 500;
  std::vector<u64> next(rails, 0);
  u64 wrong = 0;
  fleet[1].log.on_arrived = [&](Peer from, transport::Notice notice) {
    const u64 value = number_in(notice);
    const Rail rail = static_cast<Rail>(value % rails);
    const u64 index = value / rails;
    wrong += from != 0 || index != next[rail]++;
    wrong += notice.size() != 8 + index % (transport::max_notice_bytes - 7);
  };
  for (u64 index = 0; index < count; ++index)
    for (Rail rail = 0; rail < rails; ++rail) {
      Bytes notice = bytes_of(index * rails + rail);
      notice.resize(8 + index % (transport::max_notice_bytes - 7));
      ASSERT_EQ(fleet.notify(0, 1, rail, notice), Posted::done);
      notice.assign(notice.size(), std::byte{0xee});  // it was copied
    }
  ASSERT_TRUE(fleet.until([&] { return fleet[1].log.arrivals == count * rails; }));
  fleet.poll_for_a_while();
  EXPECT_EQ(fleet[1].log.arrivals, count * rails);
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(fleet[0].transport->counters().notices_sent, count * rails);
  EXPECT_EQ(fleet[1].transport->counters().notices_received, count * rails);
}

TEST_P(Conformance, BytesAreThereBeforeTheirNotice) {
  Fleet fleet(kind(), 2);
  fleet.connect_all();
  const Rail rails = fleet[0].transport->rails();
  constexpr std::size_t slots = 8, slot_bytes = 4096;
  static_assert(slots * slot_bytes <= Fleet::region_bytes);
  constexpr u64 messages = 300;
  u64 wrong = 0;
  std::vector<bool> seen(messages);
  fleet[1].log.on_arrived = [&](Peer, transport::Notice notice) {
    const u64 message = number_in(notice);
    seen[message] = true;
    const auto slot = fleet.memory(1).subspan(message % slots * slot_bytes, slot_bytes);
    wrong += !holds_pattern(slot.first(message * 97 % slot_bytes), message);
  };
  for (u64 message = 0; message < messages; ++message) {
    // A slot is used again only when its notice has been seen.
    ASSERT_TRUE(fleet.until([&] { return message < slots || seen[message - slots]; }));
    const Bytes bytes = pattern(message, message * 97 % slot_bytes);
    fleet.put(0, 1, static_cast<Rail>(message % rails), message % slots * slot_bytes, bytes,
              bytes_of(message));
  }
  ASSERT_TRUE(fleet.until([&] { return fleet[1].log.arrivals == messages; }));
  EXPECT_EQ(wrong, 0u);
}

TEST_P(Conformance, ANoticeSpeaksForAllEarlierPutsOfItsRail) {
  Fleet fleet(kind(), 2);
  fleet.connect_all();
  for (u64 round = 1; round <= 20; ++round) {
    const Rail rail = static_cast<Rail>(round % fleet[0].transport->rails());
    for (u64 part = 0; part < 16; ++part)
      fleet.put(0, 1, rail, part * 1000, pattern(round * 16 + part, 1000));
    fleet.notify(0, 1, rail, bytes_of(round));
    ASSERT_TRUE(fleet.until([&] { return fleet[1].log.notices.size() == round; }));
    for (u64 part = 0; part < 16; ++part)
      ASSERT_TRUE(holds_pattern(fleet.memory(1).subspan(part * 1000, 1000), round * 16 + part));
  }
}

TEST_P(Conformance, ASourceIsFreeOnceItsPutIsDone) {
  Fleet fleet(kind(), 2, 4 << 20);
  fleet.connect_all();
  Bytes source(1 << 20);
  for (u64 part = 0; part < 4; ++part) {
    source = pattern(part, source.size());
    fleet.put(0, 1, 0, part * source.size(), source);
    source.assign(source.size(), std::byte{0});
  }
  fleet.notify(0, 1, 0, bytes_of(1));
  ASSERT_TRUE(fleet.until([&] { return fleet[1].log.arrivals == 1; }));
  for (u64 part = 0; part < 4; ++part)
    EXPECT_TRUE(holds_pattern(fleet.memory(1).subspan(part * source.size(), source.size()), part));
}

TEST_P(Conformance, AFenceFreesSourcesNobodyNamed) {
  Fleet fleet(kind(), 2, 1 << 20);
  fleet.connect_all();
  Bytes source = pattern(5, 1 << 20);
  const transport::Piece piece(source);
  const RemoteAddress to{fleet[1].region.key, 0};
  Posted posted = Posted::busy;
  ASSERT_TRUE(fleet.until([&] {
    posted = fleet[0].transport->put(1, 0, to, {&piece, 1}, bytes_of(5), 0);
    return posted != Posted::busy;
  }));
  ASSERT_TRUE(fleet.until([&] { return fleet[0].transport->fence(1); }));
  source.assign(source.size(), std::byte{0});
  ASSERT_TRUE(fleet.until([&] { return fleet[1].log.arrivals == 1; }));
  EXPECT_TRUE(holds_pattern(fleet.memory(1), 5));
  EXPECT_TRUE(fleet[0].log.completions.empty()) << "cookie 0 wants no completion";
}

}  // namespace
}  // namespace weft::conformance
