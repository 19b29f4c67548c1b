// Quiet: once connected, put, notify and poll neither allocate nor lock, nor call write.
#include "tests/conformance/quiet.hpp"
#include "tests/conformance/suite.hpp"

namespace weft::conformance {
namespace {

// One exchange each way of every size, on every rail, without help from the Fleet, which allocates.
void send_both_ways(Fleet& fleet, std::span<const Bytes> messages) {
  const Rail rails = fleet[0].transport->rails();
  const std::byte notice[24] = {};
  for (const Bytes& message : messages)
    for (Rail rail = 0; rail < rails; ++rail) {
      const std::size_t half = message.size() / 2;
      const transport::Piece pieces[] = {std::span(message).first(half),
                                         std::span(message).subspan(half)};
      bool sent[2] = {}, told[2] = {};
      const u64 before[2] = {fleet[0].log.arrivals, fleet[1].log.arrivals};
      const auto arrived = [&](u32 rank) { return fleet[rank].log.arrivals == before[rank] + 2; };
      while (!arrived(0) || !arrived(1)) {
        for (u32 from = 0; from < 2; ++from) {
          Transport& transport = *fleet[from].transport;
          const Peer to = 1 - from;
          if (!sent[from])
            sent[from] = transport.put(to, rail, {fleet[to].region.key, 0}, pieces, notice, 0) !=
                         Posted::busy;
          if (sent[from] && !told[from])
            told[from] = transport.notify(to, rail, notice) != Posted::busy;
        }
        fleet.poll_all();
      }
    }
}

TEST_P(Conformance, TheDataPathIsQuiet) {
  if (!kind().quiet) GTEST_SKIP() << kind().name << " is an instrument for tests";
  if (const char* why = quiet::unavailable()) GTEST_SKIP() << why;
  Fleet fleet(kind(), 2, 4 << 20);
  fleet.connect_all();
  for (u32 rank = 0; rank < 2; ++rank) fleet[rank].log.on_arrived = [](Peer, transport::Notice) {};
  std::vector<Bytes> messages;
  for (const std::size_t bytes : {0, 1, 8, 1000, 70'000, 4 << 20}) messages.emplace_back(bytes);

  for (int warm = 0; warm < 3; ++warm) send_both_ways(fleet, messages);
  const quiet::Watch watch;
  for (int round = 0; round < 10; ++round) send_both_ways(fleet, messages);
  const quiet::Calls calls = watch.calls();
  EXPECT_EQ(calls.allocations, 0u);
  EXPECT_EQ(calls.locks, 0u);
  EXPECT_EQ(calls.writes, 0u);
}

}  // namespace
}  // namespace weft::conformance
