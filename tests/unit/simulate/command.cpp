// `weft simulate`: what it prints, and an answer to every mistake on its command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/simulate_job.hpp"
#include "cli/subcommand.hpp"

namespace weft::cli {
namespace {

using testing::HasSubstr;

struct Outcome {
  int exit_code;
  std::string out, err;
};

Outcome weft_simulate(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(),
                   {"simulate", "--machine", std::string(WEFT_MACHINES) + "/h100.json"});
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit_code = run(std::move(arguments));
  std::fflush(stdout);
  std::string err = testing::internal::GetCapturedStderr();
  return {exit_code, testing::internal::GetCapturedStdout(), std::move(err)};
}

TEST(Simulate, prints_time_bandwidths_ceiling_use_and_path) {
  const Outcome outcome = weft_simulate({"--bytes", "16M", "--nodes", "2", "--all"});
  ASSERT_EQ(outcome.exit_code, success) << outcome.err;
  for (const char* text : {"all_reduce of 16 MiB on h100: nodes 2x8, 8 rails", "busbw",
                           "(p-1)/p min(B_v G/(G-1), R B_r N/(N-1))", "progress thread",
                           "critical path", "inter bandwidth", "all that were tried"})
    EXPECT_THAT(outcome.out, HasSubstr(text));
}

TEST(Simulate, in_json_the_best_is_first_and_its_path_adds_up) {
  const Outcome outcome = weft_simulate({"--bytes", "1M", "--nodes", "4", "--order", "fast",
                                         "--ranks-per-node", "2", "--rails", "2", "--json"});
  ASSERT_EQ(outcome.exit_code, success) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  u64 sum = 0;
  for (const auto& [term, time] : json["best"]["critical_path_ps"].items()) sum += u64(time);
  EXPECT_EQ(sum, json["best"]["time_ps"]);
  EXPECT_GT(json["tried"].size(), 5u);
  for (const auto& tried : json["tried"]) EXPECT_GE(tried["time_ps"], json["best"]["time_ps"]);
}

TEST(Simulate, every_rank_gives_the_same_time) {
  std::vector<std::string> arguments{
      "--bytes",       "1M",   "--nodes",  "4", "--algorithm", "two_shot/halving_doubling",
      "--slice-bytes", "256K", "--frames", "2", "--json"};
  const auto merged = nlohmann::json::parse(weft_simulate(arguments).out);
  arguments.push_back("--every-rank");
  const auto all = nlohmann::json::parse(weft_simulate(arguments).out);
  EXPECT_EQ(merged["best"]["ranks_simulated"], 1);
  EXPECT_EQ(all["best"]["ranks_simulated"], 32);
  EXPECT_EQ(merged["best"]["time_ps"], all["best"]["time_ps"]);
}

TEST(Simulate, mistakes_are_answered) {
  const std::pair<std::vector<std::string>, const char*> mistakes[] = {
      {{}, "give --bytes"},
      {{"--bytes", "1Q"}, "'1Q' is no size"},
      {{"--bytes", "1G", "--nodes", "0"}, "expected something like"},
      {{"--bytes", "1G", "--nodes", "2000000"}, "the most to simulate is 262144"},
      {{"--bytes", "1G", "--nodes", "2x4", "--ranks-per-node", "3"}, "leave --ranks-per-node out"},
      {{"--bytes", "1G", "--collective", "allreduce"}, "did you mean all_reduce?"},
      {{"--bytes", "1G", "--algorithm", "rnig"}, "did you mean ring?"},
      {{"--bytes", "1G", "--order", "fst"}, "did you mean fast?"},
      {{"--bytes", "1000", "--collective", "all_gather"}, "give a multiple of 32 bytes"}};
  for (const auto& [arguments, answer] : mistakes) {
    const Outcome outcome = weft_simulate(arguments);
    EXPECT_EQ(outcome.exit_code, misuse) << answer;
    EXPECT_THAT(outcome.err, HasSubstr(answer));
  }
}

TEST(Simulate, sizes_have_units_of_1024) {
  EXPECT_EQ(*bytes_in("it", "0"), 0u);
  EXPECT_EQ(*bytes_in("it", "64K"), 65536u);
  EXPECT_EQ(*bytes_in("it", "1024T"), u64{1} << 50);
  for (const char* text : {"", "K", "1.5M", "-1", "1KB", "1025T", "99999999999999999999"})
    EXPECT_FALSE(bytes_in("it", text)) << text;
  EXPECT_EQ(bytes_text(u64{3} << 20), "3 MiB");
  EXPECT_EQ(bytes_text(1000), "1000 bytes");
  EXPECT_EQ(bytes_text(0), "0 bytes");
}

}  // namespace
}  // namespace weft::cli
