// `weft trace merge` on files of ranks that the test writes: clocks, names, and files that are bad.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/subcommand.hpp"
#include "cli/trace_merge.hpp"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::HasSubstr;

struct Rank {
  std::string communicator, host;
  u32 rank;
  i64 origin;                 // nanoseconds of its host's clock
  std::vector<i64> steps_at;  // the same
};

class TraceMerge : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) / fmt::format("weft-trace-{}", ::getpid());
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  fs::path add(const Rank& rank) {
    Json file;
    file["otherData"] = {{"rank", rank.rank},
                         {"ranks", 2},
                         {"host", rank.host},
                         {"node", rank.host},
                         {"origin_ns", rank.origin},
                         {"communicator", rank.communicator},
                         {"dropped", 0}};
    Json& events = file["traceEvents"];
    events.push_back({{"ph", "M"},
                      {"name", "process_name"},
                      {"pid", 7},
                      {"tid", 0},
                      {"args", {{"name", fmt::format("rank {}", rank.rank)}}}});
    for (const i64 at : rank.steps_at)
      events.push_back({{"ph", "X"},
                        {"name", "send to 1, slice 0, 8 B"},
                        {"pid", 7},
                        {"tid", 1000},
                        {"ts", double(at) / 1e3},
                        {"dur", 1.5},
                        {"args", {{"slice", 0}}}});
    const fs::path path = folder / rank.communicator / fmt::format("rank-{}.json", rank.rank);
    fs::create_directories(path.parent_path());
    std::ofstream(path) << file;
    return path;
  }
  Json merged(u64 steps) {
    const auto files = find_rank_files(folder.string());
    EXPECT_TRUE(files) << files.error().text;
    std::stringstream text;
    EXPECT_EQ(merge(*files, text).value(), steps);
    return Json::parse(text);
  }
  // Nanoseconds at which the steps of a process are, in the order of the file.
  static std::vector<i64> steps_of(const Json& trace, u32 process) {
    std::vector<i64> at;
    for (const Json& event : trace["traceEvents"])
      if (event["ph"] == "X" && event["pid"] == process)
        at.push_back(std::llround(double(event["ts"]) * 1e3));
    return at;
  }

  fs::path folder;
};

TEST_F(TraceMerge, RanksOfOneHostShareItsClock) {
  const i64 day = 86'400'000'000'000;
  add({"c", "one", 0, 100 * day, {100 * day + 1001, 100 * day + 5000}});
  add({"c", "one", 1, 100 * day + 300, {100 * day + 1002}});
  const Json trace = merged(3);
  EXPECT_EQ(steps_of(trace, 0), (std::vector<i64>{1001, 5000}));
  EXPECT_EQ(steps_of(trace, 1), (std::vector<i64>{1002})) << "not moved by its own origin";
}

TEST_F(TraceMerge, HostsAreAlignedWhereTheirFirstRanksHadMet) {
  add({"c", "one", 0, 5'000'000, {5'000'100}});
  add({"c", "two", 1, 900'000'700, {900'000'800}});
  add({"c", "two", 2, 900'000'000, {900'000'900}});  // the first of its host
  const Json trace = merged(3);
  EXPECT_EQ(steps_of(trace, 0), (std::vector<i64>{100}));
  EXPECT_EQ(steps_of(trace, 1), (std::vector<i64>{800}));
  EXPECT_EQ(steps_of(trace, 2), (std::vector<i64>{900}));
}

TEST_F(TraceMerge, ASecondCommunicatorKeepsTheClocksAndHasProcessesOfItsOwn) {
  add({"a", "one", 0, 1000, {1500}});
  add({"a", "two", 1, 2000, {2500}});
  add({"b", "two", 0, 9000, {9500}});
  const Json trace = merged(3);
  EXPECT_EQ(steps_of(trace, 1), (std::vector<i64>{500}));
  EXPECT_EQ(steps_of(trace, 1'000'000), (std::vector<i64>{7500}));
  std::vector<std::string> names;
  for (const Json& event : trace["traceEvents"])
    if (event["name"] == "process_name") names.push_back(event["args"]["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"rank 0 of communicator a", "rank 1 of communicator a",
                                             "rank 0 of communicator b"}));
}

TEST_F(TraceMerge, HostsThatMetByWayOfAThirdAreAligned) {
  add({"a", "one", 0, 100, {}});
  add({"a", "two", 1, 200, {}});
  add({"b", "three", 0, 7000, {7001}});
  add({"b", "two", 1, 1200, {1201}});
  const auto shift = align(find_rank_files(folder.string()).value());
  EXPECT_EQ(shift.at("one"), -100);
  EXPECT_EQ(shift.at("two"), -200);
  EXPECT_EQ(shift.at("three"), -6000);  // its 7000 is 1200 of two, 1000 of the trace
}

TEST_F(TraceMerge, TheToolWritesTheFileAndSaysWhatIsInIt) {
  add({"c", "one", 0, 0, {10, 20}});
  add({"c", "one", 1, 0, {30}});
  const std::string out = (folder / "all.json").string();
  testing::internal::CaptureStdout();
  const int code = run({"trace", "merge", folder.string(), "-o", out});
  std::fflush(stdout);
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              HasSubstr("3 steps of 2 ranks, 1 communicator, one clock"));
  EXPECT_EQ(code, success);
  std::ifstream file(out);
  EXPECT_EQ(Json::parse(file)["traceEvents"].size(), 5u);
}

TEST_F(TraceMerge, WhatIsNotATraceIsNamed) {
  EXPECT_THAT(find_rank_files((folder / "nowhere").string()).error().text,
              HasSubstr("is not a folder"));
  EXPECT_THAT(find_rank_files(folder.string()).error().text, HasSubstr("holds no trace"));
  const fs::path path = add({"c", "one", 0, 0, {10}});
  fs::resize_file(path, fs::file_size(path) - 2);
  const std::string cut = find_rank_files(folder.string()).error().text;
  EXPECT_THAT(cut, HasSubstr("rank-0.json"));
  EXPECT_THAT(cut, HasSubstr("cut off"));
  std::ofstream(path) << R"({"traceEvents": []})";
  EXPECT_THAT(find_rank_files(folder.string()).error().text,
              HasSubstr("not written for WEFT_TRACE"));
}

}  // namespace
}  // namespace weft::cli
