#include <gtest/gtest.h>

#include "perf/collective.hpp"

namespace weft::perf {
namespace {

TEST(Layout, BlocksAreWholeSixteenths) {
  for (std::size_t ranks : {1, 2, 3, 5, 7, 8, 11, 16}) {
    for (std::size_t bytes : {1, 4, 8}) {
      for (std::size_t count : {0, 1, 2, 15, 16, 17, 1000003}) {
        const std::size_t block = block_elements(count, bytes, ranks);
        EXPECT_EQ(block * bytes % 16, 0u);
        EXPECT_LE(block * ranks, count);
        EXPECT_GT((block + 16 / bytes) * ranks, count);
      }
    }
  }
}

TEST(Layout, CountsAreThoseOfNcclTests) {
  const Layout scatter = reduce_scatter.layout(1000, 4, 3);
  EXPECT_EQ(scatter.parameter, 332u);
  EXPECT_EQ(scatter.send, 996u);
  EXPECT_EQ(scatter.receive, 332u);
  EXPECT_EQ(scatter.send_in_place, 0u);
  EXPECT_EQ(scatter.receive_in_place, 332u);
  const Layout gather = all_gather.layout(1000, 8, 3);
  EXPECT_EQ(gather.parameter, 332u);
  EXPECT_EQ(gather.send, 332u);
  EXPECT_EQ(gather.receive, 996u);
  EXPECT_EQ(gather.send_in_place, 332u);
  EXPECT_EQ(gather.receive_in_place, 0u);
  EXPECT_EQ(weft::perf::gather.layout(1000, 8, 3).receive, 996u);
  EXPECT_EQ(weft::perf::gather.layout(1000, 8, 3).send_in_place, 332u);
  EXPECT_EQ(weft::perf::scatter.layout(1000, 8, 3).send, 996u);
  EXPECT_EQ(weft::perf::scatter.layout(1000, 8, 3).receive_in_place, 332u);
  EXPECT_EQ(all_to_all.layout(1000, 8, 3).send, 996u);
  EXPECT_EQ(all_to_all.layout(1000, 8, 3).receive, 996u);
  EXPECT_EQ(all_to_all.layout(1000, 8, 3).parameter, 332u);
  for (const Collective* whole : {&all_reduce, &broadcast, &reduce}) {
    const Layout layout = whole->layout(1001, 4, 3);
    EXPECT_EQ(layout.parameter, 1001u);
    EXPECT_EQ(layout.send, 1001u);
    EXPECT_EQ(layout.receive, 1001u);
    EXPECT_EQ(layout.send_in_place + layout.receive_in_place, 0u);
  }
}

// Of 3 ranks, blocks of 1, 2 and 3 units, one after the other.
TEST(Layout, UnevenBlocksGrow) {
  for (const Collective* collective :
       {&all_gatherv, &gatherv, &scatterv, &reduce_scatterv, &all_to_allv}) {
    const Layout layout = collective->layout(1000, 4, 3);
    EXPECT_EQ(layout.parameter, 164u) << collective->name;
    EXPECT_EQ(std::max(layout.send, layout.receive), 6 * 164u) << collective->name;
    const bool moved = collective != &all_to_allv;
    EXPECT_EQ(layout.send_place(2) + layout.receive_place(2), moved ? 3 * 164u : 0u)
        << collective->name;
  }
  EXPECT_EQ(scatterv.layout(1000, 4, 3).received_by(1), 2 * 164u);
  EXPECT_EQ(reduce_scatterv.layout(1000, 4, 3).received_by(0), 164u);
  EXPECT_EQ(all_gatherv.layout(1000, 4, 3).received_by(0), 6 * 164u);
}

// 4 ranks, 4 000 000 bytes at the larger side of each rank, in 1 ms: 4 GB/s whatever the
// collective.
TEST(Bandwidth, FactorsAreThoseOfPerformanceMd) {
  const std::pair<const Collective*, double> factors[] = {{&all_reduce, 1.5},
                                                          {&reduce_scatter, 0.75},
                                                          {&all_gather, 0.75},
                                                          {&broadcast, 1},
                                                          {&reduce, 1},
                                                          {&gather, 0.75},
                                                          {&scatter, 0.75},
                                                          {&all_to_all, 0.75},
                                                          {&gatherv, 0.75},
                                                          {&all_gatherv, 0.75},
                                                          {&scatterv, 0.75},
                                                          {&all_to_allv, 0.75},
                                                          {&reduce_scatterv, 0.75}};
  for (const auto& [collective, factor] : factors) {
    const Layout layout = collective->layout(1000000, 4, 4);
    const Bandwidth bandwidth = collective->bandwidth(layout.parameter, 4, 1e-3, 4);
    EXPECT_NEAR(bandwidth.algorithm, 4, 1e-3) << collective->name;
    EXPECT_DOUBLE_EQ(bandwidth.bus, bandwidth.algorithm * factor) << collective->name;
  }
  EXPECT_EQ(all_reduce.bandwidth(100, 4, 1, 1).bus, 0);
}

}  // namespace
}  // namespace weft::perf
