// The judge itself: whom an error accuses, and who says so.
#include "judge.hpp"

#include <gtest/gtest.h>

namespace weft::trials {
namespace {

using Ranks = std::vector<u32>;

TEST(Judge, KnowsWhoIsNamedAndWhoSpeaks) {
  Accusation found = accusation_in("rank 2: rank 3 died: process 7 on host ended without a word");
  EXPECT_EQ(found.ranks, Ranks{3});
  EXPECT_FALSE(found.by);
  found = accusation_in("rank 2: rank 4 says: lost rank 3 (pid 7, shared memory): it went");
  EXPECT_EQ(found.ranks, Ranks{3});
  EXPECT_EQ(found.by, 4u);
  found = accusation_in("rank 2: lost rank 3 (pid 7, shared memory): rank 9 is not meant");
  EXPECT_EQ(found.ranks, Ranks{3});
  EXPECT_EQ(found.by, 2u);
  found = accusation_in(
      "rank 0: the communicator is unusable since an earlier error: rank 0: rank 4 is frozen: no");
  EXPECT_EQ(found.ranks, Ranks{4});
  found = accusation_in("rank 1: told by rank 5: rank 5: the link to rank 0 broke");
  EXPECT_EQ(found.ranks, Ranks{0});
  EXPECT_EQ(found.by, 5u);
}

// What a finding is about are its own ranks, not those of whoever asked for it.
TEST(Judge, TakesAFindingByItself) {
  const Accusation found = accusation_in(
      "rank 2: the path between ranks 0 and 3 is silent in call 4 (barrier()): nothing has moved: "
      "rank 3 has sent 0 bytes; rank 7 says: barrier() has not ended");
  EXPECT_EQ(found.ranks, (Ranks{0, 3}));
  EXPECT_FALSE(found.by);
}

// A cut at rank 7 is not explained by a path that it is no end of, whoever is mentioned on the way.
TEST(Judge, IsStrictWithLinks) {
  const Plan plan{.ranks = 2, .what = What::cut, .culprit = 1};
  Report reports[2];
  reports[0].fail(1, "rank 0: the path between ranks 2 and 3 is silent; rank 1 says: late");
  reports[1].fail(1, "rank 1: the link to rank 0 broke");
  EXPECT_EQ(judge(plan, reports, {true, true}).verdict, Verdict::wrong);
  reports[0].result = 0;
  reports[0].fail(1, "rank 0: rank 1 says: the link to rank 0 broke");
  EXPECT_EQ(judge(plan, reports, {true, true}).verdict, Verdict::right);
}

}  // namespace
}  // namespace weft::trials
