// WEFT_TRACE on real transports: every step that moved bytes is in the merged trace, once.
//
// What ran is known from WEFT_TRACE_STEPS, which shares no line with the timeline.
#include "schedule/trace.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/trace_merge.hpp"
#include "tests/ranks/api/ranks.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class Trace : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    folder = fs::path(::testing::TempDir()) / ("weft-timeline-" + std::to_string(::getpid()));
    fs::remove_all(folder);
    ::setenv("WEFT_TRACE", (folder / "times").c_str(), 1);
    ::setenv("WEFT_TRACE_STEPS", (folder / "steps").c_str(), 1);
    ::setenv("WEFT_SLICE_BYTES", "16K", 1);
  }
  void TearDown() override {
    for (const char* name : {"WEFT_TRACE", "WEFT_TRACE_STEPS", "WEFT_SLICE_BYTES"})
      ::unsetenv(name);
    fs::remove_all(folder);
  }
  // By rank: how many steps moved something.
  std::map<u32, u64> steps_that_ran() const {
    std::map<u32, u64> steps;
    for (const auto& entry : fs::recursive_directory_iterator(folder / "steps")) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path());
      const auto trace = schedule::read_trace(file);
      EXPECT_TRUE(trace) << trace.error().text;
      for (const schedule::Record& record : trace->records)
        steps[trace->rank] += record.retire && !record.empty;
    }
    return steps;
  }
  fs::path folder;
};

TEST_P(Trace, HasEveryStepOnce) {
  const auto names = nodes(GetParam());
  const int ranks = int(names.size());
  constexpr u32 calls = 3;
  run_ranks(ranks, {.nodes = names}, [&](int, weft_comm_t comm) {
    std::vector<float> values(30'001, 1);
    for (u32 call = 0; call < calls; ++call)
      ASSERT_EQ(weft_all_reduce(values.data(), values.data(), values.size(), weft_float32, weft_max,
                                comm, nullptr),
                weft_ok);
  });
  const auto files = cli::find_rank_files((folder / "times").string());
  ASSERT_TRUE(files) << files.error().text;
  std::stringstream text;
  const u64 steps = cli::merge(*files, text).value();
  const Json trace = Json::parse(text);

  std::map<u32, u64> seen;
  std::map<u32, std::set<u32>> seen_calls;
  std::set<u64> slices;
  std::map<std::pair<u32, u32>, double> last_end;  // by rank and thread
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    const u32 rank = event["pid"];
    if (event["cat"] == "call") {
      EXPECT_TRUE(seen_calls[rank].insert(event["args"]["call"].get<u32>()).second);
      continue;
    }
    ++seen[rank];
    slices.insert(event["args"]["slice"].get<u64>());
    EXPECT_GT(event["args"]["bytes"], 0);
    EXPECT_GE(event["dur"], 0);
    EXPECT_GE(event["ts"], 0) << "before the ranks had met";
    EXPECT_LE(event["args"]["wait_us"].get<double>(), event["dur"].get<double>() + 1e-3);
    // Events of one thread, in the order of the file, do not overlap: viewers rely on it. A
    // microsecond has three digits behind the point, give or take the last of a double.
    double& end = last_end[{rank, event["tid"]}];
    EXPECT_GE(event["ts"].get<double>(), end - 1e-4);
    end = event["ts"].get<double>() + event["dur"].get<double>();
  }
  EXPECT_EQ(seen, steps_that_ran());
  u64 total = 0;
  for (const auto& [rank, count] : seen) total += count;
  EXPECT_EQ(steps, total);
  EXPECT_EQ(seen.size(), std::size_t(ranks));
  EXPECT_GT(slices.size(), 4u);
  for (const auto& [rank, numbers] : seen_calls) EXPECT_EQ(numbers.size(), calls) << rank;
}

INSTANTIATE_TEST_SUITE_P(Nodes, Trace, ::testing::Values("aaa", "aabb"));

}  // namespace
}  // namespace weft::testing
