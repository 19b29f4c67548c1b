#include "schedule/dot.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace weft::schedule {
namespace {

TEST(Dot, RanksAreClustersAndMessagesEdges) {
  Schedule schedule{.collective = {.kind = Kind::broadcast, .root = 0, .owner = {}},
                    .tiling = {},
                    .programs = {}};
  for (u32 rank : {0u, 1u}) {
    Program program{.rank = rank, .ranks = 2, .lanes = 2};
    program.levels.push_back({.rank = {0, 1}, .me = rank, .cut = {0, 1}});
    schedule.programs.push_back(program);
  }
  schedule.programs[0].steps = {
      {.source = {.buffer = input}, .count = 1, .peer = 1, .verb = Verb::send, .lane = 0}};
  Step copy{.target = {.buffer = output}, .source = {.buffer = input}, .count = 1, .lane = 1};
  copy.set_wait(0, {.lane = 0, .steps = 1});
  schedule.programs[0].steps.push_back(copy);
  schedule.programs[1].steps = {
      {.target = {.buffer = output}, .count = 1, .verb = Verb::recv, .lane = 1}};
  std::ostringstream out;
  write_dot(out, schedule);
  EXPECT_EQ(out.str(), R"(digraph broadcast {
  node [shape=box, fontname=monospace];
  subgraph cluster_0 {
    label="rank 0";
    r0_0_0 [label="send source input[0] to 1", group="0_0"];
    r0_1_0 [label="copy target output[0] source input[0]", group="0_1"];
    r0_0_0 -> r0_1_0 [style=dashed];
  }
  subgraph cluster_1 {
    label="rank 1";
    r1_1_0 [label="recv target output[0] from 0", group="1_1"];
  }
  r0_0_0 -> r1_1_0 [color=blue, constraint=false];
}
)");
}

}  // namespace
}  // namespace weft::schedule
