// What ran on real transports was an execution of the programs: WEFT_TRACE_STEPS, read back and
// checked.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "schedule/trace.hpp"
#include "tests/ranks/api/ranks.hpp"
#include "verify/trace.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;

class Records : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("weft-records-" + std::to_string(::getpid()));
    ASSERT_EQ(::setenv("WEFT_TRACE_STEPS", folder.c_str(), 1), 0);
    ASSERT_EQ(::setenv("WEFT_SLICE_BYTES", "4K", 1), 0);  // many slices in few frames
  }
  void TearDown() override {
    ::unsetenv("WEFT_TRACE_STEPS");
    ::unsetenv("WEFT_SLICE_BYTES");
    fs::remove_all(folder);
  }
  fs::path folder;
};

TEST_P(Records, AreExecutionsOfTheProgramsOnRealTransports) {
  const auto names = nodes(GetParam());
  const int ranks = int(names.size());
  run_ranks(ranks, {.nodes = names}, [&](int, weft_comm_t comm) {
    std::vector<float> in(std::size_t(ranks) * 9001, 1), out(in.size());
    for (const std::size_t count : {std::size_t{1}, std::size_t{9001}}) {
      ASSERT_EQ(
          weft_all_reduce(in.data(), out.data(), count, weft_float32, weft_sum, comm, nullptr),
          weft_ok);
      ASSERT_EQ(
          weft_reduce_scatter(in.data(), out.data(), count, weft_float32, weft_sum, comm, nullptr),
          weft_ok);
      ASSERT_EQ(weft_all_gather(in.data(), out.data(), count, weft_float32, comm, nullptr),
                weft_ok);
      ASSERT_EQ(
          weft_broadcast(in.data(), out.data(), count, weft_float32, ranks - 1, comm, nullptr),
          weft_ok);
      ASSERT_EQ(weft_barrier(comm, nullptr), weft_ok);
    }
  });
  std::map<fs::path, std::vector<schedule::RankTrace>> jobs;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    auto trace = schedule::read_trace(file);
    ASSERT_TRUE(trace) << trace.error().text;
    jobs[entry.path().parent_path()].push_back(std::move(*trace));
  }
  ASSERT_EQ(jobs.size(), 1u);
  const auto& traces = jobs.begin()->second;
  ASSERT_EQ(traces.size(), std::size_t(ranks));
  const auto verdict = verify::check_trace(traces);
  EXPECT_EQ(verdict.fault, "");
  EXPECT_EQ(verdict.calls, 10u);
}

INSTANTIATE_TEST_SUITE_P(Nodes, Records, ::testing::Values("aaa", "ab", "aabb", "abbb", "aabbc"));

}  // namespace
}  // namespace weft::testing
