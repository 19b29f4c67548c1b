// The choice of a schedule: the same everywhere, sensible at both ends, obedient when told.
#include "runtime/selector.hpp"

#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

using schedule::Kind;

World world(const char* shape) {
  return {.shape = *schedule::Shape::parse(shape),
          .in_node = {800, 150},
          .between_nodes = {15000, 500}};
}

// As a communicator on these nodes promises by default.
World settled(const char* shape, const std::string& forced = {}) {
  World made = world(shape);
  made.forced = forced;
  made.order = *settle_order("auto", made);
  return made;
}

TEST(Selector, FindsAScheduleForEveryKindShapeAndSize) {
  for (const char* shape : {"1", "2", "3", "7", "8", "64", "2x2", "3+2", "1+7", "3x3", "1+63",
                            "8x8", "2x4+3", "1+1+1+1+1"})
    for (const Kind kind : schedule::all_kinds)
      for (const u64 bytes :
           {u64{0}, u64{1}, u64{8}, u64{1} << 12, u64{1} << 20, u64{1} << 34, u64{1} << 50}) {
        const auto choice = select(kind, bytes, Need::sums, settled(shape));
        ASSERT_TRUE(choice) << shape << " " << schedule::name_of(kind) << " " << bytes << ": "
                            << choice.error().text;
        EXPECT_TRUE(algorithms::supports(choice->algorithm, kind, *schedule::Shape::parse(shape)));
        // Never one whose sums depend on luck, unless it is forced.
        const auto order =
            algorithms::order_of(choice->algorithm, kind, *schedule::Shape::parse(shape));
        EXPECT_TRUE(!schedule::reduces(kind) || order != schedule::Order::fast);
        EXPECT_FALSE(choice->why.empty());
      }
}

TEST(Selector, SmallMessagesTakeFewRoundsLargeOnesFewBytes) {
  EXPECT_EQ(select(Kind::all_reduce, 8, Need::sums, world("4"))->algorithm, "one_shot");
  EXPECT_EQ(select(Kind::all_reduce, u64{64} << 20, Need::sums, world("4"))->algorithm, "two_shot");
  // Between nodes a large vector is reduced in the node first: only a part of it travels.
  EXPECT_NE(select(Kind::all_reduce, u64{64} << 20, Need::sums, world("8x8"))->algorithm.find('/'),
            std::string::npos);
}

TEST(Selector, LargeBroadcastsFollowAChainWhereSlicesFillIt) {
  const auto chosen = [](u64 bytes, const char* shape) {
    return select(Kind::broadcast, bytes, Need::any, world(shape))->algorithm;
  };
  EXPECT_EQ(chosen(8, "4"), "binomial");
  EXPECT_EQ(chosen(u64{256} << 20, "4"), "chain");
  EXPECT_EQ(chosen(u64{256} << 20, "64"), "double_tree");
  World unsliced = world("8");  // without slices it is the sum of its hops
  unsliced.slice_bytes = u64{1} << 40;
  EXPECT_EQ(select(Kind::broadcast, u64{256} << 20, Need::any, unsliced)->algorithm,
            "scatter_all_gather");
}

TEST(Selector, LargeReductionsToARootFollowAChainOnlyInAnyOrder) {
  World fast = world("4");
  fast.order = schedule::Order::fast;
  EXPECT_EQ(select(Kind::reduce, u64{256} << 20, Need::sums, fast)->algorithm, "chain");
  EXPECT_NE(select(Kind::reduce, 8, Need::sums, fast)->algorithm, "chain");
  EXPECT_NE(select(Kind::reduce, u64{256} << 20, Need::sums, world("4"))->algorithm, "chain");
}

TEST(Selector, SlicesOnlyWhatIsLarge) {
  EXPECT_EQ(select(Kind::all_reduce, 1 << 16, Need::sums, world("4"))->slice_bytes, 0u);
  EXPECT_GT(select(Kind::all_reduce, u64{1} << 30, Need::sums, world("4"))->slice_bytes, 0u);
  World forced = world("4");
  forced.slice_bytes = 4096;
  EXPECT_EQ(select(Kind::all_reduce, 1 << 16, Need::sums, forced)->slice_bytes, 4096u);
}

TEST(Selector, ObeysAndSaysWhenItCannot) {
  World forced = settled("3+2", "ring");
  EXPECT_EQ(select(Kind::all_reduce, 8, Need::sums, forced)->algorithm, "ring");
  forced = settled("3+2", "recursive_doubling");  // needs a power of two
  const auto choice = select(Kind::all_reduce, 8, Need::sums, forced);
  EXPECT_NE(choice->algorithm, "recursive_doubling");
  EXPECT_NE(choice->why.find("recursive_doubling was asked for but"), std::string::npos)
      << choice->why;
}

using schedule::Order;

TEST(Order, IsCanonicalWhereTheShapeAllowsItAndElseThatOfTheShape) {
  for (const char* shape : {"1", "5", "8", "2x4", "4+3", "2x2+1", "1+1+1"})
    EXPECT_EQ(*settle_order("auto", world(shape)), Order::canonical) << shape;
  for (const char* shape : {"3+2", "1+7", "3x3"})
    EXPECT_EQ(*settle_order("auto", world(shape)), Order::shape) << shape;
  EXPECT_EQ(*settle_order("canonical", world("3+2")), Order::canonical);
  EXPECT_EQ(*settle_order("shape", world("4+4")), Order::canonical);  // the same tree
  EXPECT_EQ(*settle_order("fast", world("4+4")), Order::fast);
  EXPECT_EQ(settle_order("quick", world("4")).error().code, Code::invalid_argument);
}

TEST(Order, IsCanonicalWhereNothingKeepsThatOfTheShape) {
  EXPECT_EQ(*settle_order("auto", world("90+1")), Order::canonical);
  EXPECT_EQ(settle_order("shape", world("90+1")).error().code, Code::unsupported);
  EXPECT_TRUE(select(Kind::all_reduce, 1 << 20, Need::sums, settled("90+1")));
}

TEST(Order, OfAForcedAlgorithmIsWhatItKeeps) {
  World forced = world("4+4");
  forced.forced = "ring";
  EXPECT_EQ(*settle_order("auto", forced), Order::fast);
  EXPECT_EQ(*settle_order("fast", forced), Order::fast);
  const auto refused = settle_order("canonical", forced);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("ring"), std::string::npos) << refused.error().text;
  forced = world("3+2");
  forced.forced = "two_shot";  // flat, by rank: better than what the shape gives
  EXPECT_EQ(*settle_order("shape", forced), Order::canonical);
}

TEST(Order, NeverDependsOnTheSizeOfTheMessage) {
  for (const char* shape : {"5", "2x4", "3+2", "1+7"})
    for (const char* asked : {"auto", "canonical", "shape"}) {
      World promised = world(shape);
      promised.order = *settle_order(asked, promised);
      for (const Kind kind : {Kind::all_reduce, Kind::reduce_scatter})
        for (const u64 bytes : {u64{4}, u64{1} << 14, u64{1} << 24, u64{1} << 34})
          EXPECT_EQ(algorithms::order_of(select(kind, bytes, Need::sums, promised)->algorithm, kind,
                                         promised.shape),
                    promised.order)
              << shape << " " << asked << " " << bytes;
    }
}

TEST(Order, OperandsOfAUsersOperatorStandByRankWhateverWasAsked) {
  for (const char* shape : {"5", "2x4", "3+2", "1+7"}) {
    World promised = world(shape);
    promised.order = Order::fast;
    promised.forced = "ring";
    for (const u64 bytes : {u64{4}, u64{1} << 20, u64{1} << 30}) {
      const auto choice = select(Kind::all_reduce, bytes, Need::by_rank, promised);
      EXPECT_EQ(algorithms::order_of(choice->algorithm, Kind::all_reduce, promised.shape),
                Order::canonical)
          << choice->algorithm;
    }
  }
}

}  // namespace
}  // namespace weft::runtime
