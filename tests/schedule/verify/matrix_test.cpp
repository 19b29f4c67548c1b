// Every algorithm of the table, proved: what `weft verify --ranks 16` does, within a test's time.
#include "cli/matrix.hpp"

#include <gtest/gtest.h>

#include "cli/names.hpp"
#include "cli/shapes.hpp"
#include "tests/sanitizer.hpp"

namespace weft {
namespace {

using schedule::Shape;

void prove(std::vector<Shape> shapes) {
  cli::Selection selection{.kinds = *cli::parse_kinds(""), .shapes = std::move(shapes), .seed = 1};
  selection.jobs = 2;
  cli::Matrix matrix;
  matrix.prove(selection, [](u32, const cli::Tally&) {});
  EXPECT_GT(matrix.total().total, 0u);
  EXPECT_EQ(matrix.total().proved, matrix.total().total);
  for (const std::string& fault : matrix.faults()) ADD_FAILURE() << fault;
}

TEST(Matrix, all_shapes_of_up_to_8_ranks) {
  std::mt19937_64 dice(1);
  std::vector<Shape> shapes;
  for (u32 p = 1; p <= (under_sanitizer ? 5 : 8); ++p)
    for (Shape& shape : cli::shapes_of(p, dice)) shapes.push_back(std::move(shape));
  prove(std::move(shapes));
}

TEST(Matrix, sampled_shapes_of_up_to_16_ranks) {
  const u64 seed = 2;
  RecordProperty("seed", int(seed));
  std::mt19937_64 dice(seed);
  std::vector<Shape> shapes;
  for (u32 p = 9; p <= (under_sanitizer ? 9 : 16); ++p) {
    const auto all = cli::shapes_of(p, dice);
    shapes.push_back(Shape::flat(p));
    for (std::size_t i = dice() % 8; i < all.size(); i += p <= 10 ? 32 : 8)
      shapes.push_back(all[i]);
  }
  prove(std::move(shapes));
}

TEST(Matrix, shapes_are_as_promised) {
  std::mt19937_64 dice(3);
  for (u32 p : {1u, 2u, 5u, 10u, 11u, 24u, 64u}) {
    u32 plain = 0;
    for (const Shape& shape : cli::shapes_of(p, dice)) {
      EXPECT_EQ(shape.ranks(), p);
      plain += shape.rails == 1 && shape.order.empty();
    }
    if (p <= cli::most_ranks_in_full)
      EXPECT_EQ(plain, 1u << (p - 1)) << "compositions of " << p;
    else
      EXPECT_GE(plain, p) << p;
  }
}

}  // namespace
}  // namespace weft
