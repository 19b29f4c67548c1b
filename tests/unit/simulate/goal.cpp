// What the cost model says of the schedules that matter: 1 GiB on nodes of 8 H100.
#include "simulate/ceiling.hpp"
#include "simulate/search.hpp"
#include "toy.hpp"

namespace weft::simulate {
namespace {

using schedule::Kind;
using schedule::Shape;

Shape nodes_of_8(u32 nodes) { return {.size = std::vector<u32>(nodes, 8), .rails = 8}; }

class Goal : public testing::TestWithParam<u32> {};

TEST_P(Goal, a_gibibyte_reaches_94_hundredths_of_the_ceiling) {
  const auto machine = load_machine(WEFT_MACHINES "/h100.json");
  ASSERT_TRUE(machine) << machine.error().text;
  const Shape shape = nodes_of_8(GetParam());
  const auto programs =
      cli::PlanPrograms::make("two_shot/halving_doubling", Kind::all_reduce, shape);
  ASSERT_TRUE(programs);
  EXPECT_NE(programs->plan().order(), schedule::Order::fast);
  const u64 bytes = u64{1} << 30;
  const auto found = search(*programs, *machine, {.bytes = bytes}, {});
  ASSERT_TRUE(found) << found.error().text;
  const double busbw =
      algbw(bytes, found->outcome.time) * bus_factor(Kind::all_reduce, shape.ranks());
  const double part = busbw / ceiling(Kind::all_reduce, shape, *machine);
  EXPECT_GE(part, 0.94) << found->setting.slice_bytes << " " << found->setting.frames;
  EXPECT_LE(part, 1);
  EXPECT_GT(found->outcome.path[std::size_t(Term::call)], 0u);
  EXPECT_GT(found->outcome.busy[std::size_t(simulate::Kind::progress)], 0u);
}

INSTANTIATE_TEST_SUITE_P(nodes, Goal, testing::Values(2u, 4u, 8u, 16u, 32u, 64u, 128u));

TEST(Ceiling, is_the_slower_level) {
  Machine machine;
  machine.intra.bandwidth = {450'000'000'000}, machine.inter.bandwidth = {50'000'000'000};
  // 2 nodes: 15/16 min(450 * 8/7, 8 * 50 * 2) GB/s; 128 nodes: 1023/1024 min(.., 400 * 128/127).
  EXPECT_DOUBLE_EQ(ceiling(Kind::all_reduce, nodes_of_8(2), machine), 450e9 * 8 / 7 * 15 / 16);
  EXPECT_DOUBLE_EQ(ceiling(Kind::all_reduce, nodes_of_8(128), machine),
                   400e9 * 128 / 127 * 1023 / 1024);
  EXPECT_DOUBLE_EQ(ceiling(Kind::all_gather, Shape::flat(8), machine), 450e9);
  EXPECT_DOUBLE_EQ(ceiling(Kind::broadcast, nodes_of_8(2), machine), 400e9);
  // Of 15 blocks the root gets 7 through its port and 8 through its node's rails.
  EXPECT_DOUBLE_EQ(ceiling(Kind::gather, nodes_of_8(2), machine), 400e9 * 15 / 8);
  EXPECT_DOUBLE_EQ(ceiling(Kind::scatter, Shape::flat(8), machine), 450e9);
  EXPECT_DOUBLE_EQ(ceiling(Kind::all_to_all, nodes_of_8(2), machine), 400e9 / 8 * 15 / 8);
  EXPECT_DOUBLE_EQ(ceiling(Kind::scan, nodes_of_8(2), machine), 400e9);
  EXPECT_EQ(ceiling(Kind::barrier, nodes_of_8(2), machine), 0);
  EXPECT_EQ(ceiling(Kind::all_reduce, Shape::flat(1), machine), 0);
}

// No setting of the whole grid is faster, on a shape where all of it can be tried.
TEST(Search, finds_what_trying_all_finds) {
  const Machine machine = *load_machine(WEFT_MACHINES "/h100.json");
  const auto programs =
      cli::PlanPrograms::make("two_shot/halving_doubling", Kind::all_reduce, nodes_of_8(4));
  const Job job{.bytes = u64{64} << 20};
  const auto found = search(*programs, machine, job, {});
  ASSERT_TRUE(found);
  Time best = ~Time{0};
  for (u64 slice = u64{1} << 16; slice <= job.bytes; slice *= 2)
    for (u32 frames = 1; frames <= 64; frames *= 2) {
      const auto cast = lower(*programs, *call_of(*programs, job, slice < job.bytes ? slice : 0));
      best = std::min(best, simulate(*cast, machine, {.frames = frames})->time);
    }
  EXPECT_LE(found->outcome.time, best + best / 50);
}

TEST(Search, keeps_to_what_is_fixed) {
  const Machine machine = toy_machine(never);
  const auto programs = cli::PlanPrograms::make("ring", Kind::all_gather, Shape::flat(4));
  const Job job{.bytes = u64{4} << 20};
  const auto slice = search(*programs, machine, job, {.slice_bytes = u64{1} << 18});
  ASSERT_TRUE(slice);
  EXPECT_EQ(slice->slices, 16u);
  const auto frames = search(*programs, machine, job, {.frames = 3u});
  ASSERT_TRUE(frames);
  EXPECT_EQ(frames->setting.frames, 3u);
  EXPECT_FALSE(search(*programs, machine, job, {.most_messages = 3}));
  EXPECT_FALSE(search(*programs, machine, {.bytes = 17}, {}));  // no whole elements for 4 ranks
}

}  // namespace
}  // namespace weft::simulate
