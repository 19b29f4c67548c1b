// Generators are lazy: sizes are known before, any step can be had alone, and nothing grows with p.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <type_traits>

#include "schedule/digest.hpp"
#include "shapes.hpp"

namespace weft::algorithms {
namespace {

static_assert(std::is_trivially_copyable_v<Generator>, "no heap behind a generator");
static_assert(sizeof(Generator) <= 1024);

TEST(Lazy, NextYieldsEachLaneAsSizeAndAtSay) {
  for_each_plan([](const Plan& plan, const std::string& what) {
    for (u32 rank = 0; rank < plan.ranks(); ++rank) {
      Generator generator = plan.generator(rank);
      const Generator fresh = generator;
      std::vector<u32> made(256);
      for (Step step; generator.next(step); ++made[step.lane])
        ASSERT_EQ(fresh.at(step.lane, made[step.lane]), step) << what << ", rank " << rank;
      for (u32 lane = 0; lane < 255; ++lane)
        ASSERT_EQ(fresh.size(Lane(lane)), made[lane]) << what << ", rank " << rank;
      for (u32 lane = fresh.lanes(); lane < 255; ++lane) ASSERT_EQ(made[lane], 0u) << what;
      ASSERT_TRUE(fresh.lanes() == 0 || made[fresh.lanes() - 1]) << what << ": a lane too many";
    }
  });
}

// A step comes after those it waits for, so a reader or a simulator can go through the list once.
TEST(Lazy, StepsFollowWhatTheyWaitFor) {
  for_each_plan([](const Plan& plan, const std::string& what) {
    for (u32 rank = 0; rank < plan.ranks(); ++rank) {
      std::vector<u32> made(256);
      for (const Step& step : plan.emit(rank).steps) {
        for (int i : {0, 1})
          if (const Wait wait = step.wait(i); wait.valid()) {
            ASSERT_LE(wait.steps, made[wait.lane]) << what << ", rank " << rank;
          }
        ++made[step.lane];
      }
    }
  });
}

TEST(Lazy, EmitWritesDownWhatTheGeneratorSays) {
  for_each_plan([](const Plan& plan, const std::string& what) {
    for (u32 rank = 0; rank < plan.ranks(); ++rank) {
      const schedule::Program program = plan.emit(rank);
      const Generator generator = plan.generator(rank);
      ASSERT_EQ(program.atoms, plan.tiling().atoms()) << what;
      ASSERT_EQ(program.levels.size(), generator.levels()) << what;
      for (const schedule::Level& level : program.levels) {
        ASSERT_EQ(level.rank.at(level.me), rank) << what;
        ASSERT_TRUE(std::is_sorted(level.cut.begin(), level.cut.end())) << what;
        ASSERT_LE(level.cut.back(), level.atom.empty() ? program.atoms : level.atom.size());
        for (u32 atom : level.atom) ASSERT_LT(atom, program.atoms) << what;
        ASSERT_EQ(std::set<u32>(level.rank.begin(), level.rank.end()).size(), level.rank.size());
      }
      for (const Step& step : program.steps)
        for (const Span* span : {&step.target, &step.source, &step.second})
          if (span->valid()) {
            ASSERT_LT(span->buffer, schedule::first_plane + program.planes) << what;
          }
    }
  });
}

// 100 000 ranks, each walked at a few places: a list of steps for one of them would not fit a test.
TEST(Lazy, RingOfAHundredThousandNeedsNoMemory) {
  const u32 p = 100'000;
  const auto plan = Plan::make("ring", Kind::all_reduce, Shape::flat(p));
  ASSERT_TRUE(plan) << plan.error().text;
  for (u32 rank = 0; rank < p; ++rank) {
    const Generator generator = plan->generator(rank);
    ASSERT_EQ(generator.size(sending), 2 * (p - 1));
    ASSERT_EQ(generator.size(receiving), 2 * (p - 1));
    const u32 i = u32(u64(rank) * 7919 % (p - 1));
    const Step send = generator.at(sending, i);
    // My i-th send is the right neighbour's i-th receive, of the same chunk.
    const Step recv = plan->generator((rank + 1) % p).at(receiving, i);
    ASSERT_EQ(send.source.chunk(0, p), recv.target.chunk(0, p));
    ASSERT_EQ(send.peer, (rank + 1) % p);
    ASSERT_EQ(recv.peer, rank);
  }
  Generator generator = plan->generator(p / 2);
  u64 steps = 0;
  for (Step step; generator.next(step);) ++steps;
  EXPECT_EQ(steps, 4 * u64(p - 1));
}

// The log-round exchanges at a size that no matrix reaches: both ends of every message agree, and
// each half sends the g - 1 chunks of the byte bound.
TEST(Lazy, LogRoundsOfAHundredThousandMeetTheByteBound) {
  const struct {
    const char* name;
    Kind kind;
    u32 ranks, rounds, halves;
  } cases[] = {{"circulant", Kind::all_reduce, 100'001, 34, 2},
               {"swing", Kind::all_reduce, 65'536, 32, 2},
               {"pat", Kind::reduce_scatter, 100'001, 17, 1},
               {"pat", Kind::all_gather, 100'000, 17, 1}};
  for (const auto& c : cases) {
    const auto plan = Plan::make(c.name, c.kind, Shape::flat(c.ranks));
    ASSERT_TRUE(plan) << plan.error().text;
    for (u32 rank : {0u, 1u, 40'000u, 65'535u}) {
      const Generator generator = plan->generator(rank);
      ASSERT_EQ(generator.size(sending), c.rounds) << c.name;
      u64 chunks = 0;
      for (u32 i = 0; i < c.rounds; ++i) {
        const Step send = generator.at(sending, i);
        const Step recv = plan->generator(send.peer).at(receiving, i);
        EXPECT_EQ(recv.peer, rank) << c.name << " round " << i;
        EXPECT_EQ(recv.count, send.count) << c.name << " round " << i;
        for (u32 k : {0u, send.count - 1})
          EXPECT_EQ(recv.target.chunk(k, c.ranks), send.source.chunk(k, c.ranks))
              << c.name << " round " << i;
        chunks += send.count;
      }
      EXPECT_EQ(chunks, u64(c.halves) * (c.ranks - 1)) << c.name;
    }
  }
}

TEST(Lazy, HierarchyOfAHundredThousandIsWalkable) {
  Shape shape;
  shape.size.assign(12'500, 8);
  shape.rails = 8;
  const auto plan = Plan::make("two_shot/halving_doubling", Kind::all_reduce, shape);
  ASSERT_TRUE(plan) << plan.error().text;
  for (u32 rank : {0u, 7u, 65'535u, 65'536u, 99'999u}) {
    Generator generator = plan->generator(rank);
    EXPECT_EQ(generator.level(1).positions(), 12'500u);
    EXPECT_EQ(generator.level(1).rank(rank / 8), rank);
    u64 sends = 0;
    for (Step step; generator.next(step);) sends += step.sends();
    EXPECT_GT(sends, 8u);
    EXPECT_LT(sends, 100u + (1u << 14));
  }
}

TEST(Lazy, DigestDoesNotDependOnTheOrderOfRanks) {
  const Shape shape = *Shape::parse("3+2");
  const auto whole = emit_all("two_shot/ring", Kind::all_reduce, shape, 0);
  std::vector<schedule::Digest> digests(5);
  schedule::Tiling tiling;
  schedule::Collective collective;
  for (u32 rank : {4u, 0u, 3u, 1u, 2u}) {
    const auto one = emit("two_shot/ring", Kind::all_reduce, shape, 0, rank);
    digests[rank] = schedule::digest(one->program);
    tiling = one->tiling, collective = one->collective;
  }
  EXPECT_EQ(schedule::digest(collective, tiling, digests), schedule::digest(*whole));
  // One digest, one schedule: on two nodes, halving-doubling, circulant and swing are the same.
  std::map<std::string, schedule::Schedule> seen;
  for (const std::string& name : names(Kind::all_reduce, shape)) {
    const auto other = emit_all(name, Kind::all_reduce, shape, 0);
    const auto [at, is_new] = seen.emplace(schedule::digest(*other).hex(), *other);
    EXPECT_TRUE(is_new || at->second == *other) << name << " has the digest of another";
  }
  EXPECT_GT(seen.size(), 20u);
}

}  // namespace
}  // namespace weft::algorithms
