// What the table refuses, and that it says why.
#include <gmock/gmock.h>

#include "shapes.hpp"

namespace weft::algorithms {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string why(std::string_view name, Kind kind, const Shape& shape) {
  const Status status = supports(name, kind, shape);
  return status ? "supported" : status.error().text;
}

TEST(Table, EveryRowIsComplete) {
  for (const Algorithm& row : table()) {
    EXPECT_FALSE(row.about.empty() || row.rounds.empty() || row.bytes.empty() ||
                 row.source.empty());
    EXPECT_EQ(find(row.name), &row);
    u32 kinds = 0;
    for (Kind kind : schedule::all_kinds) kinds += row.kinds.has(kind);
    EXPECT_GT(kinds, 0u) << row.name;
  }
}

TEST(Table, EveryKindHasAnAlgorithmForEveryShape) {
  for (const Shape& shape : awkward_shapes())
    for (Kind kind : schedule::all_kinds) {
      const auto all = names(kind, shape);
      EXPECT_FALSE(all.empty()) << schedule::name_of(kind) << " on " << shape.text();
      const bool nodes = std::any_of(all.begin(), all.end(), [](const std::string& name) {
        return name.find('/') != std::string::npos;
      });
      const bool even =
          std::count(shape.size.begin(), shape.size.end(), shape.size[0]) == i64(shape.nodes());
      const bool wanted = kind == Kind::all_to_all ? even : !schedule::is_scan(kind);
      EXPECT_EQ(nodes, shape.nodes() > 1 && wanted)
          << schedule::name_of(kind) << " on " << shape.text();
      for (const std::string& name : all)
        EXPECT_TRUE(emit(name, kind, shape, 0, shape.ranks() - 1)) << name;
    }
}

TEST(Table, RefusesWithAReason) {
  const Shape five = Shape::flat(5), nodes = *Shape::parse("2x3");
  EXPECT_THAT(why("rings", Kind::all_reduce, five), HasSubstr("no algorithm 'rings'"));
  EXPECT_THAT(why("ring/", Kind::all_reduce, nodes), HasSubstr("no algorithm"));
  EXPECT_THAT(why("/ring", Kind::all_reduce, nodes), HasSubstr("no algorithm"));
  EXPECT_THAT(why("ring/ring/ring", Kind::all_reduce, nodes), HasSubstr("no algorithm"));
  EXPECT_THAT(why("ring", Kind::barrier, five), HasSubstr("ring knows no barrier"));
  EXPECT_THAT(why("recursive_doubling", Kind::all_reduce, five), HasSubstr("power of two"));
  EXPECT_THAT(why("halving_doubling", Kind::reduce_scatter, five), HasSubstr("power of two"));
  EXPECT_THAT(why("halving_doubling", Kind::all_reduce, five), "supported");
  EXPECT_THAT(why("two_shot/ring", Kind::all_reduce, five), HasSubstr("two nodes or more"));
  EXPECT_THAT(why("one_shot/ring", Kind::all_reduce, nodes), HasSubstr("knows no reduce_scatter"));
  EXPECT_THAT(why("two_shot/dissemination", Kind::all_reduce, nodes), HasSubstr("knows no"));
  EXPECT_THAT(why("direct/direct", Kind::all_to_all, *Shape::parse("2+3")),
              HasSubstr("nodes of one size"));
  EXPECT_THAT(why("direct/bruck", Kind::all_to_all, nodes), HasSubstr("cannot be a phase"));
  EXPECT_THAT(why("binomial/bruck", Kind::all_to_all, nodes), HasSubstr("knows no all_to_all"));
  EXPECT_THAT(why("recursive_doubling/recursive_doubling", Kind::scan, nodes),
              HasSubstr("no hierarchical form"));
  EXPECT_THAT(why("two_shot", Kind::all_reduce, Shape::flat(65536)), HasSubstr("65535"));
  EXPECT_THAT(why("two_shot", Kind::all_reduce, Shape::flat(65535)), "supported");
}

TEST(Table, RefusesShapesThatAreNone) {
  EXPECT_THAT(why("ring", Kind::all_reduce, Shape{}), HasSubstr("at least one node"));
  EXPECT_THAT(why("ring", Kind::all_reduce, Shape{.size = {2, 0}}), HasSubstr("without ranks"));
  EXPECT_THAT(why("ring", Kind::all_reduce, Shape{.size = {2}, .order = {}, .rails = 0}),
              HasSubstr("one rail"));
  for (std::vector<u32> order : {std::vector<u32>{0}, {0, 0}, {0, 2}, {0, 1, 2}})
    EXPECT_THAT(why("ring", Kind::all_reduce, Shape{.size = {2}, .order = order}),
                HasSubstr("permutation"));
  EXPECT_FALSE(emit("binomial", Kind::broadcast, Shape::flat(3), 3, 0));
  EXPECT_FALSE(emit("binomial", Kind::broadcast, Shape::flat(3), 0, 3));
}

// Lanes and ports have 8 bits. The largest shapes that fit are emitted and stay within them.
TEST(Table, RefusesMoreLanesOrPortsThanThereAre) {
  EXPECT_THAT(why("two_shot/ring", Kind::all_reduce, *Shape::parse("1+83")), "supported");
  EXPECT_THAT(why("two_shot/ring", Kind::all_reduce, *Shape::parse("1+84")),
              HasSubstr("258 lanes"));
  EXPECT_THAT(why("two_shot/ring", Kind::all_reduce, *Shape::parse("2x254")), "supported");
  EXPECT_THAT(why("two_shot/ring", Kind::all_reduce, *Shape::parse("2x255")),
              HasSubstr("257 ports"));
  EXPECT_THAT(names(Kind::all_reduce, *Shape::parse("1+84")), Not(Contains("two_shot/ring")));
  for (const char* text : {"1+83", "2x254"}) {
    const Shape shape = *Shape::parse(text);
    const auto plan = Plan::make("two_shot/recursive_doubling", Kind::all_reduce, shape);
    for (u32 rank : {0u, shape.ranks() - 1}) {
      u32 lanes = 0, ports = 0;
      for (const Step& step : plan->emit(rank).steps) {
        lanes = std::max<u32>(lanes, step.lane);
        ports = std::max<u32>(ports, step.port);
        for (int i : {0, 1})
          if (step.wait(i).valid()) { EXPECT_LT(step.wait(i).lane, plan->generator(rank).lanes()); }
      }
      EXPECT_LT(lanes, 255u);
      EXPECT_LE(ports, plan->shards() + 1);
    }
  }
}

}  // namespace
}  // namespace weft::algorithms
