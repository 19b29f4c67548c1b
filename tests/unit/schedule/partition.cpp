#include "schedule/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace weft::schedule {
namespace {

const u64 counts[] = {0, 1, 2, 15, 16, 17, 63, 64, 65, 255, 1000, 1'000'003, u64(1) << 40};
const u64 units[] = {1, 8, 16, 64};

// Slices of a vector as an executor makes them: begun on a unit, the last one short.
std::vector<Slice> slices(u64 count, u64 unit, u64 each) {
  std::vector<Slice> all;
  const u64 length = std::max<u64>(unit, each / unit * unit);
  for (u64 begin = 0; begin < count || all.empty(); begin += length)
    all.push_back({begin, std::min(count, begin + length)});
  return all;
}

Tiling uneven_blocks() {  // three ranks that own 3, 1 and 2 parts
  return {.shards = 3,
          .sub = 2,
          .blocks = true,
          .owner = {0, 2, 0, 2, 0, 1},
          .part = {0, 0, 1, 1, 2, 0},
          .parts = {3, 1, 2}};
}

TEST(Cut, TilesInOrderOnWholeUnits) {
  for (u64 n : counts)
    for (u64 unit : units)
      for (u32 parts : {1u, 2u, 3u, 7u, 8u, 64u, 1000u}) {
        EXPECT_EQ(cut(n, parts, 0, unit), 0u);
        EXPECT_EQ(cut(n, parts, parts, unit), n);
        const u64 whole = (n + unit - 1) / unit;
        for (u32 i = 0; i < parts; ++i) {
          const u64 from = cut(n, parts, i, unit), to = cut(n, parts, i + 1, unit);
          ASSERT_LE(from, to);
          ASSERT_TRUE(to % unit == 0 || to == n);
          ASSERT_LE(to - from, (whole / parts + 1) * unit);  // nearly equal
          ASSERT_GE(to - from + unit, whole / parts * unit);
        }
      }
}

TEST(Cut, DoesNotOverflow) {
  const u64 most = ~u64(0) - 64;
  EXPECT_EQ(cut(most, ~0u, ~0u, 1), most);
  EXPECT_LE(cut(most, ~0u, ~0u - 1, 1), most);
}

// Atoms of one slice cover the slice of the vector once, and keep order and layout in a plane.
TEST(Partition, AtomsTileEachSliceOfAVector) {
  for (u64 count : counts)
    for (u64 unit : units)
      for (auto [shards, sub] : {std::pair{1u, 1u}, {1u, 2u}, {8u, 4u}, {7u, 1u}, {5u, 64u}}) {
        const Partition partition({.shards = shards, .sub = sub}, count, unit);
        for (Slice slice : slices(count, unit, count / 3 + 1)) {
          u64 next = slice.begin;
          for (u32 atom = 0; atom < partition.atoms(); ++atom) {
            const Extent vector = partition.in_vector(atom, slice);
            const Extent plane = partition.in_plane(atom, slice);
            ASSERT_EQ(vector.offset, next);
            ASSERT_EQ(plane, (Extent{vector.offset - slice.begin, vector.count}));
            ASSERT_TRUE(plane.offset % unit == 0 || plane.count == 0);
            next += vector.count;
          }
          ASSERT_EQ(next, slice.end);
          ASSERT_EQ(partition.plane_elements(slice), slice.end - slice.begin);
        }
      }
}

// Blocks: all parts of all blocks over all slices touch every element of every block once.
TEST(Partition, PartsTileEachBlockOverAllSlices) {
  const std::pair<Tiling, u32> tilings[] = {{{.shards = 5, .sub = 1, .blocks = true}, 5},
                                            {{.shards = 1, .sub = 1, .blocks = true}, 1},
                                            {uneven_blocks(), 3}};
  for (const auto& [tiling, blocks] : tilings)
    for (u64 count : {0, 1, 2, 16, 17, 65, 1003})
      for (u64 unit : units) {
        const Partition partition(tiling, count, unit);
        std::vector<int> touched(blocks * count);
        for (Slice slice : slices(count, unit, 40)) {
          std::map<u64, u64> extents;  // of the plane
          for (u32 atom = 0; atom < tiling.atoms(); ++atom) {
            const Extent vector = partition.in_vector(atom, slice);
            const Extent plane = partition.in_plane(atom, slice);
            ASSERT_EQ(vector.count, plane.count);
            for (u64 i = 0; i < vector.count; ++i) ++touched[vector.offset + i];
            if (plane.count == 0) continue;
            ASSERT_EQ(plane.offset % unit, 0u);
            ASSERT_TRUE(extents.emplace(plane.offset, plane.count).second);
            const u32 block = tiling.owner.empty() ? atom : tiling.owner[atom];
            ASSERT_GE(vector.offset, block * count + slice.begin);
            ASSERT_LE(vector.offset + vector.count, block * count + slice.end);
          }
          u64 end = 0;
          for (auto [offset, size] : extents) {
            ASSERT_GE(offset, end);
            end = offset + size;
          }
          ASSERT_LE(end, partition.plane_elements(slice));
        }
        ASSERT_EQ(std::count(touched.begin(), touched.end(), 1), i64(touched.size()));
      }
}

// All-to-all: block t of the input goes to rank t, block f of the output comes from rank f, and in
// a plane what is given, what is got and what passes through lie side by side.
TEST(Partition, PairsHaveAPlaceInEachBuffer) {
  const u32 p = 4, me = 1, through = 2 * p + 3;  // from rank 3 to rank 2
  Program program{.rank = me, .ranks = p, .atoms = p * p};
  program.levels = {{.rank = {0, 1, 2, 3}, .me = me, .cut = {0, 1}, .atom = {through}}};
  Step pass{.target = {.first = 0, .buffer = first_plane}, .count = 1, .verb = Verb::recv};
  program.steps = {pass};
  Partition partition({.shards = p, .sub = p, .blocks = true, .pairs = true}, 10, 16);
  partition.look_from(program);
  const Slice slice{4, 10};
  std::map<u64, u64> places;
  for (u32 peer = 0; peer < p; ++peer) {
    const u32 given = peer * p + me, got = me * p + peer;
    EXPECT_EQ(partition.in_vector(given, slice, input), (Extent{peer * 10 + 4, 6}));
    EXPECT_EQ(partition.in_vector(got, slice, output), (Extent{peer * 10 + 4, 6}));
    for (u32 atom : {given, got}) places[partition.in_plane(atom, slice).offset] = 6;
  }
  places[partition.in_plane(through, slice).offset] = 6;
  EXPECT_EQ(places.size(), 2 * p);  // the block that stays is both given and got
  for (auto [offset, size] : places) EXPECT_LE(offset + size, partition.plane_elements(slice));
  EXPECT_FALSE(partition.is_alike());
}

// Sizes and places are the caller's, beyond 2^32 elements too; parts of a block follow one another.
TEST(Partition, UnevenBlocksAreWhereTheCallerSays) {
  const u64 large = u64{5} << 32;
  const Blocks given{{3, large, 0}, {0, 0, 0}}, got{{3, large, 0}, {7, 100, 2}};
  const auto partition = Partition::uneven({.shards = 3,
                                            .sub = 2,
                                            .blocks = true,
                                            .owner = {0, 0, 1, 1, 2, 2},
                                            .part = {0, 1, 0, 1, 0, 1},
                                            .parts = {2, 2, 2}},
                                           given, got, 16);
  const Slice slice{0, 1};
  EXPECT_EQ(partition.in_vector(0, slice, output).offset, 7u);
  EXPECT_EQ(partition.in_vector(0, slice).count + partition.in_vector(1, slice).count, 3u);
  const Extent first = partition.in_vector(2, slice, output),
               second = partition.in_vector(3, slice, output);
  EXPECT_EQ(first.offset, 100u);
  EXPECT_EQ(second.offset, 100 + first.count);
  EXPECT_EQ(first.count + second.count, large);
  EXPECT_EQ(partition.in_vector(2, slice, input).offset, 0u);
  EXPECT_EQ(partition.in_vector(4, slice).count, 0u);
  EXPECT_EQ(partition.in_plane(2, slice).offset, 16u);
  EXPECT_GE(partition.plane_elements(slice), large + 16);
}

TEST(Partition, TokenIsNeverEmpty) {
  const Partition token = Partition::token();
  ASSERT_EQ(token.atoms(), 1u);
  EXPECT_EQ(token.in_vector(0, {0, 1}), (Extent{0, 1}));
  EXPECT_EQ(token.in_plane(0, {0, 1}), (Extent{0, 1}));
}

}  // namespace
}  // namespace weft::schedule
