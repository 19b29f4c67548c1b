// Which messages bring back to a lender what became of its loan: the sums of an all-reduce whose
// shards are lent, and nothing that another step may touch in between.
#include "tests/ranks/executor/job.hpp"

namespace weft::testing {
namespace {

struct Answered {
  u32 lent = 0;     // messages out of the caller's buffers that have an answer
  u32 reduced = 0;  // messages that are answered by what is made of them
};

// In rank 0's program.
Answered answered(const char* algorithm, schedule::Kind kind, u32 ranks) {
  Job job({.shape = schedule::Shape::flat(ranks), .channels = {.frames = 1}});
  job.start({.algorithm = algorithm, .kind = kind, .count = 1000});
  const executor::Plan& plan = *job.operation(0, 0).plan;
  Answered found;
  for (const executor::LoweredStep& s : plan.steps)
    for (u32 end = s.first_end; end < s.first_end + s.ends; ++end) {
      const executor::End& e = plan.ends[end];
      if (e.answer == executor::no_end) continue;
      EXPECT_EQ(plan.ends[e.answer].peer, e.peer);
      ++(s.sends() ? found.lent : found.reduced);
    }
  EXPECT_TRUE(job.run());
  EXPECT_EQ(job.verdict(), "");
  return found;
}

TEST(Answers, AreTheSumsOfShardsThatWereLent) {
  for (const u32 ranks : {2u, 3u, 5u, 8u}) {
    const Answered two_shot = answered("two_shot", schedule::Kind::all_reduce, ranks);
    EXPECT_EQ(two_shot.lent, ranks - 1);
    EXPECT_EQ(two_shot.reduced, ranks - 1);
  }
  const Answered halving = answered("halving_doubling", schedule::Kind::all_reduce, 2);
  EXPECT_EQ(halving.lent, 1u);
  EXPECT_EQ(halving.reduced, 1u);
}

// Halves of four ranks are reduced twice, so what comes back is not what the first reader made; a
// ring sends on what it has reduced to another; the rest brings nothing back.
TEST(Answers, AreNoneWhereOtherStepsComeBetween) {
  EXPECT_EQ(answered("ring", schedule::Kind::all_reduce, 3).lent, 0u);
  EXPECT_EQ(answered("one_shot", schedule::Kind::all_reduce, 3).lent, 0u);
  EXPECT_EQ(answered("two_shot", schedule::Kind::reduce_scatter, 3).lent, 0u);
  EXPECT_EQ(answered("two_shot", schedule::Kind::all_gather, 3).lent, 0u);
  EXPECT_EQ(answered("binomial", schedule::Kind::broadcast, 4).lent, 0u);
}

}  // namespace
}  // namespace weft::testing
