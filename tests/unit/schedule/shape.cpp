#include "schedule/shape.hpp"

#include <gmock/gmock.h>

#include <random>

namespace weft::schedule {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Shape, ReadsItsForms) {
  EXPECT_THAT(Shape::parse("4")->size, ElementsAre(4));
  EXPECT_THAT(Shape::parse("2x4")->size, ElementsAre(4, 4));
  EXPECT_THAT(Shape::parse("1+7")->size, ElementsAre(1, 7));
  EXPECT_THAT(Shape::parse("2x4+3")->size, ElementsAre(4, 4, 3));
  EXPECT_THAT(Shape::parse("3+1x2+2x1")->size, ElementsAre(3, 2, 1, 1));
}

TEST(Shape, TextAndBack) {
  std::mt19937_64 dice(11);
  for (u32 n = 0; n < 300; ++n) {
    Shape shape;
    for (u64 nodes = 1 + dice() % 8; nodes; --nodes) shape.size.push_back(1 + u32(dice() % 3));
    const auto back = Shape::parse(shape.text());
    ASSERT_TRUE(back) << shape.text();
    EXPECT_EQ(*back, shape) << shape.text();
    EXPECT_EQ(back->text(), shape.text());
  }
}

TEST(Shape, RefusesAndSaysWhatItWants) {
  for (const char* text : {"", "0", "x4", "4x", "2x0", "0x2", "1++7", "+1", "1+", "two", "-1", " 4",
                           "4 ", "1+7,", "2x2x2", "99999999999", "4096x4097", "16777217"}) {
    const auto shape = Shape::parse(text);
    ASSERT_FALSE(shape) << text;
    EXPECT_EQ(shape.error().code, Code::invalid_argument);
    EXPECT_THAT(shape.error().text, HasSubstr(fmt::format("'{}'", text)));
  }
}

TEST(Shape, SeatsAndNodesAreInverse) {
  for (const char* text : {"1", "5", "1+7", "7+1", "3x1", "2x4+3"}) {
    Shape shape = *Shape::parse(text);
    for (bool permuted : {false, true}) {
      if (permuted)
        for (u32 seat = 0; seat < shape.ranks(); ++seat)
          shape.order.push_back(shape.ranks() - 1 - seat);
      u32 seat = 0;
      for (u32 node = 0; node < shape.nodes(); ++node) {
        EXPECT_EQ(shape.base(node), seat);
        for (u32 i = 0; i < shape.size[node]; ++i, ++seat) {
          EXPECT_EQ(shape.node_of_seat(seat), node);
          EXPECT_EQ(shape.seat_of(shape.rank_at(seat)), seat);
        }
      }
      EXPECT_EQ(seat, shape.ranks());
    }
  }
}

}  // namespace
}  // namespace weft::schedule
