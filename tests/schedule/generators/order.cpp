// Which order an algorithm keeps: against an oracle that builds the trees and compares them.
#include <gtest/gtest.h>

#include <functional>

#include "shapes.hpp"

namespace weft::algorithms {
namespace {

// The canonical tree as text, "((0 1) 2)": equal texts, equal trees.
std::string canonical(u32 a, u32 b, const std::function<std::string(u32)>& leaf) {
  if (b - a == 1) return leaf(a);
  u32 half = 1;
  while (2 * half < b - a) half *= 2;
  return fmt::format("({} {})", canonical(a, a + half, leaf), canonical(a + half, b, leaf));
}

bool is_canonical(const Shape& shape) {
  auto seat = [&](u32 s) { return fmt::format("{}", shape.rank_at(s)); };
  const std::string of_nodes = canonical(0, shape.nodes(), [&](u32 node) {
    return canonical(shape.base(node), shape.base(node) + shape.size[node], seat);
  });
  return of_nodes == canonical(0, shape.ranks(), [](u32 rank) { return fmt::format("{}", rank); });
}

TEST(Order, HierarchicalIsCanonicalExactlyWhereItsTreeIs) {
  u32 yes = 0;
  for (u32 p = 2; p <= 13; ++p)
    for (u32 bits = 1; bits < 1u << (p - 1); ++bits) {  // all compositions of two nodes and more
      Shape shape{.size = {1}};
      for (u32 i = 0; i + 1 < p; ++i)
        if (bits >> i & 1)
          shape.size.push_back(1);
        else
          ++shape.size.back();
      const Order order = order_of("two_shot/two_shot", Kind::all_reduce, shape);
      const bool expected = is_canonical(shape);
      yes += expected;
      ASSERT_EQ(order, expected ? Order::canonical : Order::shape) << shape.text();
    }
  EXPECT_GT(yes, 20u);
}

TEST(Order, PermutedRanksAreNotCanonical) {
  Shape shape = *Shape::parse("2x2");
  EXPECT_EQ(order_of("two_shot/ring", Kind::reduce_scatter, shape), Order::fast);
  EXPECT_EQ(order_of("two_shot/two_shot", Kind::reduce_scatter, shape), Order::canonical);
  shape.order = {0, 1, 2, 3};
  EXPECT_EQ(order_of("two_shot/two_shot", Kind::all_reduce, shape), Order::canonical);
  shape.order = {0, 2, 1, 3};
  EXPECT_EQ(order_of("two_shot/two_shot", Kind::all_reduce, shape), Order::shape);
  EXPECT_EQ(order_of("two_shot", Kind::all_reduce, shape), Order::canonical);
}

TEST(Order, RingsAndTreesAreFast) {
  for (u32 p : {3u, 4u, 7u, 16u}) {
    EXPECT_EQ(order_of("ring", Kind::all_reduce, Shape::flat(p)), Order::fast);
    EXPECT_EQ(order_of("ring", Kind::reduce_scatter, Shape::flat(p)), Order::fast);
    EXPECT_EQ(order_of("double_tree", Kind::all_reduce, Shape::flat(p)), Order::fast);
    EXPECT_EQ(order_of("halving_doubling", Kind::all_reduce, Shape::flat(p)), Order::canonical);
    EXPECT_EQ(order_of("binomial", Kind::all_reduce, Shape::flat(p)), Order::canonical);
  }
  for (u32 p : {3u, 5u, 8u}) {
    EXPECT_EQ(order_of("circulant", Kind::all_reduce, Shape::flat(p)), Order::fast);
    EXPECT_EQ(order_of("pat", Kind::reduce_scatter, Shape::flat(p)), Order::fast);
  }
  EXPECT_EQ(order_of("chain", Kind::reduce, Shape::flat(3)), Order::fast);
  EXPECT_EQ(order_of("chain", Kind::reduce, Shape::flat(2)), Order::canonical);
  EXPECT_EQ(order_of("swing", Kind::all_reduce, Shape::flat(8)), Order::fast);
  EXPECT_EQ(order_of("swing", Kind::all_reduce, Shape::flat(4)), Order::canonical);
  EXPECT_EQ(order_of("ring", Kind::all_reduce, Shape::flat(1)), Order::canonical);
  EXPECT_EQ(order_of("ring/binomial", Kind::all_reduce, *Shape::parse("2x2")), Order::fast);
  EXPECT_EQ(order_of("ring/binomial", Kind::all_reduce, *Shape::parse("2x1")), Order::canonical);
}

TEST(Order, WhatDoesNotReduceIsCanonical) {
  for_each_plan([](const Plan& plan, const std::string& what) {
    if (schedule::reduces(plan.kind())) return;
    EXPECT_EQ(plan.order(), Order::canonical) << what;
  });
}

}  // namespace
}  // namespace weft::algorithms
