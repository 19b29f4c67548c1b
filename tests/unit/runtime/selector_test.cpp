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

TEST(Selector, FindsAScheduleForEveryKindShapeAndSize) {
  for (const char* shape : {"1", "2", "3", "7", "8", "64", "2x2", "3+2", "1+7", "3x3", "1+63",
                            "8x8", "2x4+3", "1+1+1+1+1"})
    for (const Kind kind : schedule::all_kinds)
      for (const u64 bytes :
           {u64{0}, u64{1}, u64{8}, u64{1} << 12, u64{1} << 20, u64{1} << 34, u64{1} << 50}) {
        const auto choice = select(kind, bytes, world(shape));
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
  EXPECT_EQ(select(Kind::all_reduce, 8, world("4"))->algorithm, "one_shot");
  EXPECT_EQ(select(Kind::all_reduce, u64{64} << 20, world("4"))->algorithm, "two_shot");
  // Between nodes a large vector is reduced in the node first: only a part of it travels.
  EXPECT_NE(select(Kind::all_reduce, u64{64} << 20, world("8x8"))->algorithm.find('/'),
            std::string::npos);
}

TEST(Selector, SlicesOnlyWhatIsLarge) {
  EXPECT_EQ(select(Kind::all_reduce, 1 << 16, world("4"))->slice_bytes, 0u);
  EXPECT_GT(select(Kind::all_reduce, u64{1} << 30, world("4"))->slice_bytes, 0u);
  World forced = world("4");
  forced.slice_bytes = 4096;
  EXPECT_EQ(select(Kind::all_reduce, 1 << 16, forced)->slice_bytes, 4096u);
}

TEST(Selector, ObeysAndSaysWhenItCannot) {
  World forced = world("3+2");
  forced.forced = "ring";
  EXPECT_EQ(select(Kind::all_reduce, 8, forced)->algorithm, "ring");
  forced.forced = "recursive_doubling";  // needs a power of two
  const auto choice = select(Kind::all_reduce, 8, forced);
  EXPECT_NE(choice->algorithm, "recursive_doubling");
  EXPECT_NE(choice->why.find("recursive_doubling was asked for but"), std::string::npos)
      << choice->why;
}

}  // namespace
}  // namespace weft::runtime
