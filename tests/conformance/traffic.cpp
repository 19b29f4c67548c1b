// Many at once: both directions, all pairs, all rails, full queues, a thread for each rank.
#include <algorithm>
#include <thread>

#include "tests/conformance/suite.hpp"

namespace weft::conformance {
namespace {

// What every rank sends to every other: `rounds` puts on each rail, each into its own place, posted
// as the queue allows. A place is told by (from, rail, round).
class AllToAll {
 public:
  AllToAll(Fleet& fleet, u64 rounds)
      : fleet_(fleet),
        rails_(fleet[0].transport->rails()),
        rounds_(rounds),
        bytes_(fleet.memory(0).size() / (fleet.ranks() * rails_ * rounds)),
        next_(fleet.ranks() * fleet.ranks() * rails_),
        wrong_(fleet.ranks()) {
    for (u32 from = 0; from < fleet.ranks(); ++from)
      for (u64 message = 0; message < fleet.ranks() * rails_ * rounds; ++message)
        sources_.push_back(pattern(from * 1000 + message, bytes_));
    for (u32 rank = 0; rank < fleet.ranks(); ++rank)
      fleet[rank].log.on_arrived = [this, rank](Peer from, transport::Notice notice) {
        check(rank, from, number_in(notice));
      };
  }

  // Posts what can be posted now; true when nothing of `from` is left.
  bool post(u32 from) {
    bool all = true;
    for (u32 to = 0; to < fleet_.ranks(); ++to)
      for (Rail rail = 0; rail < rails_; ++rail) {
        if (to == from) continue;
        u64& round = next_[(from * fleet_.ranks() + to) * rails_ + rail];
        while (round < rounds_ && post_one(from, to, rail, round)) ++round;
        all = all && round == rounds_;
      }
    return all;
  }
  u64 expected() const { return (fleet_.ranks() - 1) * rails_ * rounds_; }
  bool arrived(u32 rank) const { return fleet_[rank].log.arrivals == expected(); }
  u64 wrong(u32 rank) const { return wrong_[rank]; }

 private:
  u64 place(u32 from, Rail rail, u64 round) const {
    return (from * rails_ + rail) * rounds_ + round;
  }
  const Bytes& source(u32 from, u32 to, Rail rail, u64 round) const {
    return sources_[from * fleet_.ranks() * rails_ * rounds_ + place(to, rail, round)];
  }
  bool post_one(u32 from, u32 to, Rail rail, u64 round) {
    const transport::Piece piece(source(from, to, rail, round));
    const u64 at = place(from, rail, round);
    const Posted posted = fleet_[from].transport->put(
        to, rail, {fleet_[to].region.key, at * bytes_}, {&piece, 1}, bytes_of(at), 0);
    return posted == Posted::done || posted == Posted::pending;
  }
  void check(u32 rank, u32 from, u64 at) {
    const u64 round = at % rounds_;
    const Rail rail = static_cast<Rail>(at / rounds_ % rails_);
    const Bytes& right = source(from, rank, rail, round);
    const auto seen = fleet_.memory(rank).subspan(at * bytes_, bytes_);
    wrong_[rank] +=
        at / rounds_ / rails_ != from || !std::equal(right.begin(), right.end(), seen.begin());
  }

  Fleet& fleet_;
  Rail rails_;
  u64 rounds_;
  std::size_t bytes_;
  std::vector<Bytes> sources_;
  std::vector<u64> next_;   // by from, to, rail: the round to post
  std::vector<u64> wrong_;  // by rank; each rank's numbers are touched by its thread only
};

TEST_P(Conformance, AllToAllByOneThread) {
  for (const u32 ranks : {1u, 2u, 3u, 8u}) {
    Fleet fleet(kind(), ranks);
    fleet.connect_all();
    AllToAll traffic(fleet, 20);
    ASSERT_TRUE(fleet.until([&] {
      bool all = true;
      for (u32 rank = 0; rank < ranks; ++rank) {
        const bool posted = traffic.post(rank);
        all = all && posted && traffic.arrived(rank);
      }
      return all;
    })) << ranks;
    fleet.poll_for_a_while();
    for (u32 rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(traffic.wrong(rank), 0u) << ranks << " ranks";
      EXPECT_TRUE(traffic.arrived(rank)) << "none twice";
      EXPECT_TRUE(fleet[rank].log.breaks.empty());
    }
  }
}

TEST_P(Conformance, AThreadForEachRank) {
  constexpr u32 ranks = 3;
  Fleet fleet(kind(), ranks);
  fleet.connect_all();
  AllToAll traffic(fleet, 40);
  const auto all_left = [&](u32 rank) {
    for (u32 to = 0; to < ranks; ++to)
      if (to != rank && !fleet[rank].transport->fence(to)) return false;
    return true;
  };
  std::vector<std::thread> threads;
  for (u32 rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      while (!traffic.post(rank) || !traffic.arrived(rank) || !all_left(rank))
        if (fleet[rank].transport->poll(fleet[rank].log) == 0) std::this_thread::yield();
    });
  for (std::thread& thread : threads) thread.join();
  for (u32 rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(traffic.wrong(rank), 0u);
    EXPECT_TRUE(fleet[rank].log.breaks.empty());
  }
}

TEST_P(Conformance, BusyWhenFullAndGoodAgainWhenDrained) {
  Fleet fleet(kind(), 2);
  fleet.connect_all();
  const Bytes bytes = pattern(1, 256);
  const transport::Piece piece(bytes);
  const RemoteAddress to{fleet[1].region.key, 0};
  u64 sent = 0;
  fleet[1].log.on_arrived = [next = u64{0}](Peer, transport::Notice notice) mutable {
    EXPECT_EQ(number_in(notice), next++);
  };
  for (int round = 0; round < 3; ++round) {
    // The peer does not poll: sooner or later no more is taken. Weather may say busy by whim.
    int busy_in_a_row = 0;
    while (busy_in_a_row < 100) {
      const Posted posted = fleet[0].transport->put(1, 0, to, {&piece, 1}, bytes_of(sent), 0);
      ASSERT_NE(posted, Posted::broken);
      if (posted != Posted::busy) ++sent;
      busy_in_a_row = posted == Posted::busy ? busy_in_a_row + 1 : 0;
      if (posted == Posted::busy) fleet[0].transport->poll(fleet[0].log);
      ASSERT_LT(sent, 1'000'000u) << "a queue without an end";
    }
    ASSERT_TRUE(fleet.until([&] { return fleet[1].log.arrivals == sent; }));
  }
}

TEST_P(Conformance, TheSinkMayPost) {
  Fleet fleet(kind(), 2);
  fleet.connect_all();
  constexpr u64 rounds = 200;
  const Bytes bytes = pattern(1, 100);
  const transport::Piece piece(bytes);
  u64 unanswered[2] = {};  // the answer was busy: tried again outside of the callback
  const auto answer = [&](u32 rank, u64 number) {
    const RemoteAddress to{fleet[1 - rank].region.key, 0};
    const Posted posted =
        fleet[rank].transport->put(1 - rank, 0, to, {&piece, 1}, bytes_of(number), 0);
    unanswered[rank] = posted == Posted::busy ? number : 0;
  };
  for (u32 rank = 0; rank < 2; ++rank)
    fleet[rank].log.on_arrived = [&, rank](Peer, transport::Notice notice) {
      if (number_in(notice) < rounds) answer(rank, number_in(notice) + 1);
    };
  fleet.notify(0, 1, 0, bytes_of(1));
  EXPECT_TRUE(fleet.until([&] {
    for (u32 rank = 0; rank < 2; ++rank)
      if (unanswered[rank]) answer(rank, unanswered[rank]);
    return fleet[0].log.arrivals + fleet[1].log.arrivals == rounds;
  }));
}

}  // namespace
}  // namespace weft::conformance
