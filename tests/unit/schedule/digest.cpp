#include "schedule/digest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "any.hpp"

namespace weft::schedule {
namespace {

TEST(Digest, IsTheSameOnAllMachines) {
  Program program{.rank = 1, .ranks = 2, .atoms = 3, .planes = 4, .lanes = 5};
  program.levels.push_back({.rank = {0, 1}, .me = 1, .cut = {0, 2, 3}});
  program.steps.push_back({.source = {.first = 1, .buffer = input, .stride = 2, .right = true},
                           .count = 6,
                           .peer = 7,
                           .fan = 8,
                           .verb = Verb::send,
                           .lane = 4,
                           .port = 9,
                           .level = 0});
  EXPECT_EQ(digest(program).hex(), "fa2f70a9879f76715a5cb27aad680d92");
  const Schedule schedule{.collective = {.kind = Kind::barrier, .root = 0, .owner = {}},
                          .tiling = {},
                          .programs = {program}};
  EXPECT_EQ(digest(schedule).hex(), "d1b6691c265e4f814584cc5eeabfe81f");
}

TEST(Digest, HeedsLanesNotTheirInterleaving) {
  for (u64 seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Any any(seed);
    Program program = any.program(0, 3, 5);
    const Digest before = digest(program);
    std::stable_sort(program.steps.begin(), program.steps.end(),
                     [](const Step& a, const Step& b) { return a.lane > b.lane; });
    EXPECT_EQ(digest(program), before);
    if (program.steps.size() < 2 || program.steps[0] == program.steps[1] ||
        program.steps[0].lane != program.steps[1].lane)
      continue;
    std::swap(program.steps[0], program.steps[1]);
    EXPECT_NE(digest(program), before);
  }
}

TEST(Digest, ChangesWithEveryField) {
  Any any(1);
  Program program = any.program(0, 3, 5);
  program.lanes = 254;
  program.steps = {Step{}};
  std::set<std::string> seen{digest(program).hex()};
  auto differs = [&](auto&& change) {
    Program other = program;
    change(other, other.steps[0]);
    EXPECT_TRUE(seen.insert(digest(other).hex()).second) << "change " << seen.size();
  };
  differs([](Program& p, Step&) { ++p.rank; });
  differs([](Program& p, Step&) { ++p.ranks; });
  differs([](Program& p, Step&) { ++p.atoms; });
  differs([](Program& p, Step&) { ++p.planes; });
  differs([](Program& p, Step&) { ++p.lanes; });
  differs([](Program& p, Step&) { ++p.levels[0].me; });
  differs([](Program& p, Step&) { ++p.levels[0].rank[0]; });
  differs([](Program& p, Step&) { ++p.levels[0].cut.back(); });
  differs([](Program& p, Step&) { p.levels.push_back(p.levels[0]); });
  differs([](Program& p, Step&) { p.steps.clear(); });
  const auto spans = {&Step::target, &Step::source, &Step::second};
  for (Span Step::*span : spans) {
    differs([&](Program&, Step& s) { ++(s.*span).first; });
    differs([&](Program&, Step& s) { (s.*span).buffer = input; });
    differs([&](Program&, Step& s) { ++(s.*span).stride; });
    differs([&](Program&, Step& s) { (s.*span).right = true; });
  }
  differs([](Program&, Step& s) { ++s.count; });
  differs([](Program&, Step& s) { ++s.peer; });
  differs([](Program&, Step& s) { ++s.fan; });
  differs([](Program&, Step& s) { ++s.port; });
  differs([](Program&, Step& s) { ++s.level; });
  differs([](Program&, Step& s) { ++s.lane; });
  differs([](Program&, Step& s) { s.verb = Verb::recv; });
  for (int i : {0, 1}) {
    differs([&](Program&, Step& s) { ++s.wait_steps[i]; });
    differs([&](Program&, Step& s) { s.wait_lane[i] = 0; });
  }
}

}  // namespace
}  // namespace weft::schedule
