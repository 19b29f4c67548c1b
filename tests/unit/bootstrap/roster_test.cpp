#include "bootstrap/roster.hpp"

#include <gmock/gmock.h>

#include "bootstrap/ranks_text.hpp"
#include "bootstrap/tree.hpp"

namespace weft::bootstrap {
namespace {

using testing::HasSubstr;

Hello hello_of(u32 rank, u32 ranks) {
  return {.rank = rank,
          .ranks = ranks,
          .instance = random_nonce(),
          .contact = {static_cast<u16>(1000 + rank), {}}};
}

TEST(Tree, IsOneTreeOfLogarithmicDegreeAndDepth) {
  for (u32 positions = 1; positions <= 300; ++positions) {
    u32 log = 0;
    while ((1u << log) < positions) ++log;
    std::vector<u32> children(positions);
    for (u32 k = 1; k < positions; ++k) {
      ASSERT_LT(parent_of(k), k);
      ++children[parent_of(k)];
      u32 depth = 0;
      for (u32 at = k; at != 0; at = parent_of(at)) ++depth;
      EXPECT_LE(depth, log);
    }
    for (u32 k = 0; k < positions; ++k) {
      EXPECT_EQ(children_of(k, positions), children[k]) << k << " of " << positions;
      EXPECT_LE(children[k], log);
    }
  }
}

TEST(RosterOf, DealsPositionsInTheOrderOfArrivalWithTheParentsContact) {
  Roster roster(5, hello_of(2, 5));
  const u32 order[] = {2, 4, 0, 1, 3};
  for (u32 position = 1; position < 5; ++position) {
    EXPECT_FALSE(roster.full());
    const Answer answer = roster.admit(hello_of(order[position], 5), {});
    EXPECT_EQ(answer.error.code, Code::ok);
    EXPECT_EQ(answer.position, position);
    EXPECT_EQ(answer.rank, order[parent_of(position)]);
    EXPECT_EQ(answer.parent.port, 1000 + order[parent_of(position)]);
  }
  EXPECT_TRUE(roster.full());
}

TEST(RosterOf, AskingTwiceIsNoMistakeButTwoOfOneNumberAre) {
  Roster roster(4, hello_of(0, 4));
  const Hello first = hello_of(3, 4);
  EXPECT_EQ(roster.admit(first, {}).position, 1u);
  EXPECT_EQ(roster.admit(first, {}).position, 1u);
  EXPECT_THAT(roster.admit(hello_of(3, 4), {}).error.text, HasSubstr("joined as rank 3"));
  EXPECT_THAT(roster.admit(hello_of(0, 4), {}).error.text, HasSubstr("joined as rank 0"));
  EXPECT_THAT(roster.admit(hello_of(4, 4), {}).error.text, HasSubstr("rank 4"));
  EXPECT_THAT(roster.admit(hello_of(1, 5), {}).error.text, HasSubstr("rank 1"));
  EXPECT_EQ(roster.admit(hello_of(1, 4), {}).position, 2u);
}

TEST(RosterOf, NamesTheAbsentFirstThenTheSilentAndThoseBehindThem) {
  Roster roster(4, hello_of(0, 4));
  roster.admit(hello_of(1, 4), {});
  roster.admit(hello_of(2, 4), {});
  const auto second = std::chrono::seconds(1);
  const std::vector<bool> all(4, true);
  EXPECT_EQ(roster.missing({{true, false, true, false}, all}, "joined", second),
            "rank 3 has not joined after 1 s");
  roster.admit(hello_of(3, 4), {});  // position 3, a child of position 2
  EXPECT_EQ(
      roster.missing({{true, false, false, false}, all}, "joined", second),
      "ranks 1, 2 have not joined after 1 s (rank 3, behind in the tree, could not be heard)");
  EXPECT_EQ(roster.missing({{true, true, true, false}, all}, "joined", second),
            "rank 3 has not joined after 1 s");
}

TEST(RosterOf, NamesWhoFellSilentAfterItContributedIfOthersAreBehindIt) {
  Roster roster(4, hello_of(0, 4));
  for (const u32 rank : {1, 2, 3}) roster.admit(hello_of(rank, 4), {});
  const auto second = std::chrono::seconds(1);
  EXPECT_EQ(
      roster.missing({{true, true, true, false}, {true, true, false, false}}, "joined", second),
      "rank 2 has joined and is not heard from after 1 s "
      "(rank 3, behind in the tree, could not be heard)");
  EXPECT_EQ(
      roster.missing({{true, false, true, true}, {true, false, false, false}}, "joined", second),
      "rank 1 has not joined after 1 s");
}

TEST(RanksText, FoldsRuns) {
  EXPECT_EQ(ranks_text({3}), "rank 3");
  EXPECT_EQ(ranks_text({3, 4}), "ranks 3, 4");
  EXPECT_EQ(ranks_text({3, 5, 6, 7}), "ranks 3, 5-7");
  EXPECT_EQ(ranks_text({0, 1, 2, 9, 11, 12}), "ranks 0-2, 9, 11, 12");
}

TEST(RanksText, RoundsSleepUpAndNeverBelowZero) {
  EXPECT_EQ(poll_milliseconds(Duration(1)), 1);
  EXPECT_EQ(poll_milliseconds(Duration::zero()), 0);
  EXPECT_EQ(seconds_text(std::chrono::seconds(30)), "30 s");
}

}  // namespace
}  // namespace weft::bootstrap
