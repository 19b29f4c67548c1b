// One actor for all ranks that do the same gives what all ranks give: the same picosecond, the same
// use of every resource.
#include "algorithms/table.hpp"
#include "toy.hpp"

namespace weft::simulate {
namespace {

using schedule::Shape;

void expect_same(const std::string& algorithm, schedule::Kind kind, const Shape& shape,
                 const Call& call, u32 frames) {
  const auto merged = cast_of(algorithm, kind, shape, call);
  const auto all = cast_of(algorithm, kind, shape, call, Merge::none);
  ASSERT_TRUE(merged) << merged.error().text;
  ASSERT_TRUE(all) << all.error().text;
  EXPECT_EQ(all->actors.size(), shape.ranks());
  for (u64 eager : {never, always}) {
    const Machine machine = toy_machine(eager);
    const auto a = simulate(*merged, machine, {.frames = frames});
    const auto b = simulate(*all, machine, {.frames = frames});
    ASSERT_TRUE(a) << a.error().text;
    ASSERT_TRUE(b) << b.error().text;
    EXPECT_EQ(a->time, b->time) << algorithm << " " << schedule::name_of(kind) << " on "
                                << shape.text() << ", " << shape.rails << " rails";
    EXPECT_EQ(a->busy, b->busy) << algorithm << " on " << shape.text();
  }
}

TEST(Symmetry, of_every_algorithm) {
  for (const char* text : {"1", "2", "5", "8", "2x4", "4x2", "3x2", "2x2+3", "1+3"})
    for (u32 rails : {1u, 2u, 4u}) {
      Shape shape = *Shape::parse(text);
      shape.rails = rails;
      for (schedule::Kind kind : schedule::all_kinds)
        for (const std::string& algorithm : algorithms::names(kind, shape))
          expect_same(algorithm, kind, shape, {.count = 1'003, .slice_elements = 256}, 2);
    }
}

TEST(Symmetry, of_larger_shapes) {
  Shape shape{.size = std::vector<u32>(8, 8), .rails = 8};
  for (const char* algorithm : {"two_shot/halving_doubling", "two_shot/double_tree", "ring/ring"})
    expect_same(algorithm, schedule::Kind::all_reduce, shape,
                {.count = 1u << 20, .slice_elements = 1u << 17}, 3);
}

TEST(Symmetry, is_found_where_it_is) {
  Shape shape{.size = std::vector<u32>(16, 8), .rails = 8};
  const Call call{.count = 1u << 20, .slice_elements = 1u << 18};
  auto actors = [&](const char* algorithm) {
    return cast_of(algorithm, schedule::Kind::all_reduce, shape, call)->actors.size();
  };
  EXPECT_EQ(actors("two_shot/halving_doubling"), 1u);
  EXPECT_EQ(actors("two_shot/ring"), 1u);
  EXPECT_EQ(actors("two_shot/binomial"), 16u);  // every node is its own place in the tree
  shape.rails = 4;                              // two ranks share a card
  EXPECT_EQ(actors("two_shot/halving_doubling"), 128u);
}

}  // namespace
}  // namespace weft::simulate
