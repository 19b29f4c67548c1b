#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "perf/json_report.hpp"
#include "perf/reporter.hpp"

namespace weft::perf {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing::ElementsAre;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

class JsonFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "weft-json-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path() const { return (folder_ / "out.json").string(); }
  static Json read(const fs::path& file) {
    std::ifstream in(file);
    return Json::parse(in);
  }
  fs::path folder_;
};

TEST_F(JsonFile, KeysAreThoseOfNcclTests) {
  Options options;
  options.output_file = path();
  options.per_iteration = 1;
  testing::internal::CaptureStdout();
  {
    Reporter reporter(options, "all_reduce_perf");
    const char* words[] = {"all_reduce_perf", "-J", "out.json"};
    reporter.open_json(words, 100);
    reporter.opening(100);
    reporter.devices(std::vector<Device>(2));
    reporter.order("shape");
    reporter.header();
    reporter.row_start({.bytes = 8, .count = 2, .type = "float", .op = "sum", .root = -1});
    for (bool in_place : {false, true}) {
      reporter.row_half({.microseconds = 2, .bandwidth = {1, NAN}, .checked = in_place, .wrong = 3},
                        in_place);
      reporter.row_iterations(std::vector<double>{1e-6, 3e-6}, in_place,
                              std::vector<double>{1e-6, 3e-6, 1e-6, 2e-6});
    }
    reporter.row_end();
    reporter.footer({.errors = 0, .bus_bandwidth = 1.5, .least_bandwidth = -1}, std::nullopt);
    reporter.errors("");
  }
  const std::string said = testing::internal::GetCapturedStdout();
  EXPECT_THAT(said, testing::StartsWith("# Writing JSON output to " + path() + "\n"));

  const Json report = read(path());
  EXPECT_THAT(keys(report), ElementsAre("version", "start_time", "args", "env", "nccl_version",
                                        "weft_version", "config", "results", "out_of_bounds",
                                        "average_bus_bandwidth", "errors", "end_time"));
  EXPECT_EQ(report["version"], 3);
  EXPECT_EQ(report["args"], Json({"all_reduce_perf", "-J", "out.json"}));
  const Json& config = report["config"];
  EXPECT_THAT(keys(config),
              ElementsAre("nthreads", "ngpus", "minimum_bytes", "maximum_bytes", "step_bytes",
                          "warmup_iters", "iterations", "aggregated_iterations", "validation",
                          "graph", "blocking_collectives", "per_iter_timing", "per_iter_skip",
                          "parallel_init", "buffers", "devices", "order"));
  EXPECT_EQ(config["order"], "shape");
  EXPECT_EQ(config["per_iter_timing"], "true");
  ASSERT_EQ(config["devices"].size(), 2u);
  EXPECT_THAT(keys(config["devices"][1]), ElementsAre("rank", "group", "pid", "hostname", "device",
                                                      "device_hex", "device_info"));
  ASSERT_EQ(report["results"].size(), 1u);
  const Json& row = report["results"][0];
  EXPECT_THAT(keys(row), ElementsAre("size", "count", "type", "redop", "root", "out_of_place",
                                     "out_of_place_per_iter", "in_place", "in_place_per_iter",
                                     "actual_iterations", "experiment_name"));
  EXPECT_EQ(row["root"], "    -1");
  EXPECT_THAT(keys(row["in_place"]), ElementsAre("time", "alg_bw", "bus_bw", "nwrong"));
  EXPECT_EQ(row["in_place"]["nwrong"], 3.0);
  EXPECT_EQ(row["in_place"]["bus_bw"], "nan");
  EXPECT_TRUE(row["out_of_place"]["nwrong"].is_null());
  EXPECT_THAT(keys(row["in_place_per_iter"]),
              ElementsAre("skipped_iterations", "min_us", "max_us", "avg_us", "p50_us", "p95_us",
                          "p99_us", "stdev_us", "cv_pct", "times_us", "per_process_max_times_us"));
  EXPECT_EQ(row["in_place_per_iter"]["per_process_max_times_us"].size(), 2u);
  EXPECT_EQ(report["out_of_bounds"]["okay"], "true");
  EXPECT_EQ(report["average_bus_bandwidth"]["okay"], "unchecked");
  EXPECT_EQ(report["errors"], Json({""}));
}

const Row some_row = {.bytes = 8, .count = 2, .type = "float", .op = "sum", .root = -1};

// What was said; the report is in the file afterwards.
std::string report_verdicts(const Options& options, const std::vector<Verdict>& verdicts,
                            const std::vector<std::string>& peers = {"mpi, some MPI 1.0"}) {
  testing::internal::CaptureStdout();
  {
    Reporter reporter(options, "all_reduce_perf");
    reporter.open_json({}, 100);
    reporter.opening(100);
    reporter.peers(peers);
    for (const Verdict& verdict : verdicts) {
      reporter.row_start(some_row);
      reporter.row_contest(verdict);
      reporter.row_end();
    }
    reporter.footer({.errors = 0, .bus_bandwidth = 1, .least_bandwidth = -1}, std::nullopt);
  }
  return testing::internal::GetCapturedStdout();
}

TEST_F(JsonFile, AComparisonIsOfTheStateWithMostPoints) {
  Options options;
  options.output_file = path();
  options.compare = {"mpi"};
  const std::vector<Entrant> both = {{.name = "weft"}, {.name = "mpi"}};
  const StateResult mid = {.state = State::mid, .medians = {4e-6, 6e-6}, .points = {20, 21}};
  const StateResult near = {.state = State::near, .medians = {2e-6, 1e-6}, .points = {9, 10}};
  const std::string said =
      report_verdicts(options, {{.entrants = both, .states = {mid, near}, .dropped = 5},
                                {.entrants = both, .states = {}, .dropped = 90},
                                {.entrants = both, .refusal = "mpi has no sum of half"}});
  EXPECT_THAT(said, testing::HasSubstr("# compared with : mpi, some MPI 1.0\n"));
  EXPECT_THAT(said, testing::Not(testing::HasSubstr("Greatest regret")));
  const Json report = read(path());
  EXPECT_EQ(report["config"]["peer"], "mpi, some MPI 1.0");
  EXPECT_FALSE(report["config"].contains("backend"));
  const Json& row = report["results"][0];
  EXPECT_EQ(row["compare"],
            Json({{"backend", "mpi"}, {"time", 6.0}, {"ratio", 1.5}, {"state", "mid"}}));
  ASSERT_EQ(row["compare_states"].size(), 2u);
  EXPECT_EQ(row["compare_states"][1], Json({{"state", "near"},
                                            {"backend", "mpi"},
                                            {"time", 1.0},
                                            {"weft_time", 2.0},
                                            {"ratio", 0.5},
                                            {"points", 10},
                                            {"weft_points", 9}}));
  EXPECT_EQ(row["compare_dropped"], 5);
  EXPECT_FALSE(row.contains("compare_refused"));
  EXPECT_FALSE(report["results"][1].contains("compare"));
  EXPECT_EQ(report["results"][1]["compare_dropped"], 90);
  EXPECT_FALSE(report["results"][2].contains("compare"));
  EXPECT_EQ(report["results"][2]["compare_refused"], "mpi has no sum of half");
}

TEST_F(JsonFile, OfSeveralPeersTheFirstIsInCompareAndAllInTheStates) {
  Options options;
  options.output_file = path();
  options.compare = {"mpi", "bound"};
  const std::vector<Entrant> all = {{.name = "weft"},
                                    {.name = "mpi"},
                                    {.name = "bound", .form = "direct"},
                                    {.name = "bound", .form = "halves"}};
  const StateResult near = {
      .state = State::near, .medians = {4e-6, 6e-6, 2e-6, 3e-6}, .points = {9, 10, 11, 12}};
  report_verdicts(options, {{.entrants = all, .states = {near}}},
                  {"mpi, some MPI 1.0", "bound, code"});
  const Json report = read(path());
  EXPECT_EQ(report["config"]["peer"], "mpi, some MPI 1.0; bound, code");
  const Json& row = report["results"][0];
  EXPECT_EQ(row["compare"],
            Json({{"backend", "mpi"}, {"time", 6.0}, {"ratio", 1.5}, {"state", "near"}}));
  ASSERT_EQ(row["compare_states"].size(), 2u);
  EXPECT_EQ(row["compare_states"][1], Json({{"state", "near"},
                                            {"backend", "bound"},
                                            {"time", 2.0},
                                            {"weft_time", 4.0},
                                            {"ratio", 0.5},
                                            {"points", 11},
                                            {"weft_points", 9},
                                            {"form", "direct"}}));
}

TEST_F(JsonFile, ASweepHasEverySchedulesTimeAndTheRegret) {
  Options options;
  options.output_file = path();
  options.sweep_algorithms = true;
  const std::vector<Entrant> all = {{.name = "tree"},
                                    {.name = "ring", .order = "fast", .may_win = false},
                                    {.name = "direct", .order = "canonical"}};
  const StateResult near = {
      .state = State::near, .medians = {3e-6, 1e-6, 2e-6}, .points = {9, 9, 9}};
  const StateResult far = {.state = State::far, .medians = {9e-6, 9e-6, 9e-6}, .points = {9, 9, 9}};
  const std::string said = report_verdicts(options, {{.entrants = all, .states = {near, far}}});
  EXPECT_THAT(said, testing::HasSubstr(
                        "# Greatest regret      : 1.50 at 8 B, near: tree where direct is best\n"));
  const Json report = read(path());
  const Json& row = report["results"][0];
  ASSERT_EQ(row["algorithms"].size(), 4u);
  EXPECT_EQ(row["algorithms"][0], Json({{"state", "near"},
                                        {"name", "ring"},
                                        {"order", "fast"},
                                        {"keeps_order", false},
                                        {"time", 1.0},
                                        {"points", 9}}));
  EXPECT_EQ(row["algorithms"][3]["state"], "far");
  EXPECT_EQ(row["regret"], Json({{"state", "near"},
                                 {"chosen", "tree"},
                                 {"time", 3.0},
                                 {"best", "direct"},
                                 {"best_time", 2.0},
                                 {"regret", 1.5}}));
  EXPECT_FALSE(row.contains("compare"));
}

TEST_F(JsonFile, AnOlderReportIsNeverOverwritten) {
  std::string message;
  for (const char* expected : {"", ".0", ".1"}) {
    ASSERT_TRUE(JsonReport::open(path(), message));
    EXPECT_EQ(message, "# Writing JSON output to " + path() + expected);
  }
  EXPECT_FALSE(JsonReport::open((folder_ / "none" / "out.json").string(), message));
  EXPECT_THAT(message, testing::EndsWith("not accessible"));
}

TEST_F(JsonFile, ARunThatFailsLeavesWhatItHad) {
  Options options;
  options.output_file = path();
  testing::internal::CaptureStdout();
  {
    Reporter reporter(options, "x");
    reporter.open_json({}, 100);
    reporter.opening(100);
    reporter.row_start({.bytes = 8, .count = 2, .type = "float", .op = "sum", .root = -1});
  }
  testing::internal::GetCapturedStdout();
  EXPECT_EQ(read(path())["results"][0]["size"], 8);
}

TEST_F(JsonFile, OnlyJsonIsWritten) {
  Options options;
  options.output_file = (folder_ / "out.csv").string();
  testing::internal::CaptureStdout();
  { Reporter(options, "x").open_json({}, 100); }
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              testing::StartsWith("# skipping json output"));
  EXPECT_FALSE(fs::exists(options.output_file));
}

TEST(Reporter, AReducedMaximumIsToldAsNcclTestsTellsIt) {
  const Options options;
  testing::internal::CaptureStdout();
  Reporter(options, "x").reduced_maximum(4096);
  Reporter().reduced_maximum(4096);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "#\n# Reducing maxBytes to 4096 due to memory limitation\n");
}

TEST(Environment, TheJobsSecretIsNotReported) {
  const char* environment[] = {"A=1", "WEFT_UNIQUE_ID=c2VjcmV0", "B=2", nullptr};
  EXPECT_THAT(reported_environment(environment),
              ElementsAre("A=1", "WEFT_UNIQUE_ID=(not reported)", "B=2"));
}

}  // namespace
}  // namespace weft::perf
