// Sleeping: who has armed and sleeps on wait_fd() is woken by whatever there is to poll.
#include <poll.h>

#include <atomic>
#include <thread>

#include "tests/conformance/suite.hpp"

namespace weft::conformance {
namespace {

// Polls and sleeps until it holds; false if a sleep was not ended by a wake-up in a time that only
// a lost one takes.
bool sleep_until(Rank& rank, const std::function<bool()>& holds) {
  constexpr int hang_milliseconds = 60'000;
  while (!holds()) {
    if (rank.transport->poll(rank.log)) continue;
    if (!rank.transport->arm()) continue;
    pollfd wait{rank.transport->wait_fd(), POLLIN, 0};
    const int ready = ::poll(&wait, 1, hang_milliseconds);
    rank.transport->disarm();
    if (ready == 0) return false;
  }
  return true;
}

TEST_P(Conformance, PingPongAsleep) {
  Fleet fleet(kind(), 2);
  fleet.connect_all();
  constexpr u64 rounds = 500;
  std::atomic<bool> lost = false;
  const auto play = [&](u32 self) {
    const u32 peer = 1 - self;
    const Bytes bytes = pattern(self, 300);
    const transport::Piece piece(bytes);
    for (u64 turn = 0; turn < rounds; ++turn) {
      if (turn % 2 == self) {
        const RemoteAddress to{fleet[peer].region.key, 0};
        const auto posted = [&] {
          return fleet[self].transport->put(peer, 0, to, {&piece, 1}, bytes_of(turn), 0) !=
                 Posted::busy;
        };
        if (!sleep_until(fleet[self], posted)) lost = true;
      } else if (!sleep_until(fleet[self],
                              [&] { return fleet[self].log.arrivals == turn / 2 + 1; })) {
        lost = true;
      }
      if (lost) return;
    }
    if (!sleep_until(fleet[self], [&] { return fleet[self].transport->fence(peer); })) lost = true;
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_FALSE(lost);
}

TEST_P(Conformance, WokenWhenConnected) {
  Fleet fleet(kind(), 3);
  std::vector<std::string> addresses;
  for (u32 rank = 0; rank < 3; ++rank) addresses.push_back(fleet[rank].transport->address());
  std::atomic<int> connected = 0;
  std::vector<std::thread> threads;
  for (u32 rank = 0; rank < 3; ++rank)
    threads.emplace_back([&, rank] {
      for (u32 peer = 0; peer < 3; ++peer)
        if (peer != rank && !fleet[rank].transport->connect(peer, addresses[peer])) return;
      connected += sleep_until(fleet[rank], [&] {
        for (u32 peer = 0; peer < 3; ++peer)
          if (peer != rank && !fleet[rank].transport->connected(peer)) return false;
        return true;
      });
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(connected, 3);
}

TEST_P(Conformance, WokenForRoom) {
  Fleet fleet(kind(), 2);
  fleet.connect_all();
  constexpr u64 count = 4000;  // 16 MiB: more than queues and kernel buffers hold
  std::atomic<bool> lost = false;
  std::thread sender([&] {
    const Bytes bytes = pattern(1, 4096);
    const transport::Piece piece(bytes);
    u64 sent = 0;
    const auto post = [&] {
      while (sent < count && fleet[0].transport->put(1, 0, {fleet[1].region.key, 0}, {&piece, 1},
                                                     bytes_of(sent), 0) != Posted::busy)
        ++sent;
      return sent == count && fleet[0].transport->fence(1);
    };
    if (!sleep_until(fleet[0], post)) lost = true;
  });
  fleet[1].log.on_arrived = [](Peer, transport::Notice) {};
  if (!sleep_until(fleet[1], [&] { return fleet[1].log.arrivals == count; })) lost = true;
  sender.join();
  EXPECT_FALSE(lost);
  EXPECT_EQ(fleet[1].log.arrivals, count);
}

TEST_P(Conformance, WokenByAnEnd) {
  Fleet fleet(kind(), 2);
  fleet.connect_all();
  std::thread ending([&] { fleet[1].transport.reset(); });
  EXPECT_TRUE(sleep_until(fleet[0], [&] { return !fleet[0].log.breaks.empty(); }));
  ending.join();
}

TEST_P(Conformance, ArmSaysNoWhenSomethingHasCome) {
  Fleet fleet(kind(), 2);
  fleet.connect_all();
  fleet.poll_for_a_while();
  ASSERT_TRUE(fleet[1].transport->arm()) << "nothing to do";
  fleet[1].transport->disarm();
  fleet.notify(0, 1, 0, bytes_of(1));
  while (!fleet[0].transport->fence(1)) fleet[0].transport->poll(fleet[0].log);
  if (fleet[1].transport->arm()) {  // a transport that cannot look ahead wakes at once instead
    pollfd wait{fleet[1].transport->wait_fd(), POLLIN, 0};
    EXPECT_EQ(::poll(&wait, 1, 60'000), 1);
  }
  fleet[1].transport->disarm();
  EXPECT_TRUE(fleet.until([&] { return fleet[1].log.arrivals == 1; }));
}

}  // namespace
}  // namespace weft::conformance
