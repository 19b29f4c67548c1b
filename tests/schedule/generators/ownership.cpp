// Who owns what in the hierarchical form, read from the programs and checked against the rules.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "schedule/partition.hpp"
#include "shapes.hpp"

namespace weft::algorithms {
namespace {

u32 shards_of(const Shape& shape) {
  const u32 most = *std::max_element(shape.size.begin(), shape.size.end());
  u32 shards = shape.rails;
  while (shards < most) shards += shape.rails;
  return shards;
}

std::vector<Shape> shapes_of_nodes() {
  std::vector<Shape> shapes = awkward_shapes();
  std::erase_if(shapes, [](const Shape& shape) { return shape.nodes() < 2; });
  return shapes;
}

TEST(Ownership, ShardsGoToRanksByTheFloorRule) {
  for (const Shape& shape : shapes_of_nodes()) {
    const auto schedule = emit_all("two_shot/ring", Kind::all_reduce, shape, 0);
    ASSERT_TRUE(schedule) << schedule.error().text;
    const u32 shards = shards_of(shape), sub = schedule->tiling.sub;
    ASSERT_EQ(schedule->tiling.shards, shards) << shape.text();
    std::vector<u32> owners(shards * shape.nodes());  // how often each (shard, node) is owned
    for (u32 seat = 0; seat < shape.ranks(); ++seat) {
      const schedule::Program& program = schedule->programs[shape.rank_at(seat)];
      const u32 node = shape.node_of_seat(seat), local = seat - shape.base(node);
      const schedule::Level& own = program.levels[0];
      for (u32 i = 0; i < shape.size[node]; ++i)
        EXPECT_EQ(own.rank[i], shape.rank_at(shape.base(node) + i));
      EXPECT_EQ(own.me, local);
      u32 next = own.cut[local];  // my shards follow one another and fill my block
      for (std::size_t t = 1; t < program.levels.size(); ++t) {
        const schedule::Level& level = program.levels[t];
        const u32 shard = level.cut[0] / sub;
        EXPECT_EQ(level.cut[0], next);
        next = level.cut.back();
        EXPECT_EQ(level.chunks(), sub);
        EXPECT_EQ(level.me, node);
        for (u32 n = 0; n < shape.nodes(); ++n)
          EXPECT_EQ(level.rank[n], shape.rank_at(shape.base(n) + shard * shape.size[n] / shards));
        ++owners[shard * shape.nodes() + node];
      }
      EXPECT_EQ(next, own.cut[local + 1]);
    }
    EXPECT_EQ(std::count(owners.begin(), owners.end(), 1u), i64(owners.size())) << shape.text();
  }
}

TEST(Ownership, BlocksOfReduceScatterAndAllGatherEndWithTheirRanks) {
  for (const Shape& shape : shapes_of_nodes())
    for (Kind kind : {Kind::reduce_scatter, Kind::all_gather}) {
      const auto schedule = emit_all("two_shot/ring", kind, shape, 0);
      ASSERT_TRUE(schedule) << schedule.error().text;
      const schedule::Tiling& tiling = schedule->tiling;
      const u32 shards = shards_of(shape), nodes = shape.nodes();
      ASSERT_TRUE(tiling.blocks);
      ASSERT_EQ(tiling.atoms(), shards * nodes);
      EXPECT_EQ(schedule->collective.owner, tiling.owner);
      std::vector<u32> parts(shape.ranks());
      for (u32 atom = 0; atom < tiling.atoms(); ++atom) {
        const u32 shard = atom / nodes, node = atom % nodes;
        const u32 rank = shape.rank_at(shape.base(node) + shard * shape.size[node] / shards);
        EXPECT_EQ(tiling.owner[atom], rank);
        EXPECT_EQ(tiling.part[atom], parts[rank]++);
      }
      EXPECT_EQ(tiling.parts, parts);
    }
}

TEST(Ownership, RailsFollowShardsAndNodesKeepToTheirPorts) {
  for (const Shape& shape : shapes_of_nodes()) {
    const auto plan = Plan::make("two_shot/ring", Kind::all_reduce, shape);
    const u32 shards = shards_of(shape);
    std::vector<u32> load(shape.rails);
    for (u32 shard = 0; shard < shards; ++shard) {
      const u32 rail = plan->rail_of(u8(1 + shard));
      ASSERT_EQ(rail, shard * shape.rails / shards);
      ++load[rail];
    }
    for (u32 shards_on_rail : load) EXPECT_EQ(shards_on_rail, shards / shape.rails);
    for (u32 rank = 0; rank < shape.ranks(); ++rank) {
      const schedule::Program program = plan->emit(rank);
      const u32 node = shape.node_of_seat(shape.seat_of(rank));
      for (const Step& step : program.steps)
        for_each_peer(program, step, [&](u32 peer) {
          if (!step.sends() && !step.receives()) return;
          const bool inside = shape.node_of_seat(shape.seat_of(peer)) == node;
          EXPECT_EQ(inside, step.port == 0 || step.port == shards + 1);
        });
    }
  }
}

// Both ends of every channel: one lane at each end, and as many sends as receives, atom for atom.
TEST(Channels, BothEndsListTheSameMessages) {
  using Messages = std::vector<std::pair<Lane, std::vector<u32>>>;
  for_each_plan([](const Plan& plan, const std::string& what) {
    std::map<std::tuple<u32, u32, u32>, Messages> sent, received;
    for (u32 rank = 0; rank < plan.ranks(); ++rank) {
      const schedule::Program program = plan.emit(rank);
      for (const Step& step : program.steps) {
        if (step.is_local()) continue;
        std::vector<u32> atoms;
        for_each_atom(program, step, step.sends() ? step.source : step.target,
                      [&](u32 atom) { atoms.push_back(atom); });
        for_each_peer(program, step, [&](u32 peer) {
          ASSERT_LT(peer, plan.ranks()) << what;
          ASSERT_NE(peer, rank) << what;
          auto& channel =
              step.sends() ? sent[{rank, peer, step.port}] : received[{peer, rank, step.port}];
          channel.emplace_back(step.lane, atoms);
        });
      }
    }
    ASSERT_EQ(sent.size(), received.size()) << what;
    for (const auto& [channel, sends] : sent) {
      const Messages& receives = received[channel];
      ASSERT_EQ(sends.size(), receives.size()) << what;
      for (std::size_t k = 0; k < sends.size(); ++k) {
        ASSERT_EQ(sends[k].first, sends[0].first) << what;
        ASSERT_EQ(receives[k].first, receives[0].first) << what;
        ASSERT_EQ(sends[k].second, receives[k].second) << what;
      }
    }
  });
}

}  // namespace
}  // namespace weft::algorithms
