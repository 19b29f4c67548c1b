// The command line: exit codes, last lines, and an answer to typing errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/names.hpp"
#include "cli/nearest.hpp"
#include "cli/subcommand.hpp"

namespace weft::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

struct Outcome {
  int exit_code;
  std::string out, err;
};

Outcome weft(std::vector<std::string> arguments) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit_code = run(std::move(arguments));
  std::fflush(stdout);
  std::string err = testing::internal::GetCapturedStderr();
  return {exit_code, testing::internal::GetCapturedStdout(), std::move(err)};
}

std::string write_file(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(path) << text;
  return path.string();
}

TEST(Nearest, counts_typing_errors) {
  EXPECT_EQ(edit_distance("", "ring"), 4u);
  EXPECT_EQ(edit_distance("ring", "ring"), 0u);
  EXPECT_EQ(edit_distance("rnig", "ring"), 1u);
  EXPECT_EQ(edit_distance("rig", "ring"), 1u);
  EXPECT_EQ(edit_distance("rink", "ring"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, is_silent_when_nothing_is_near) {
  const std::vector<std::string> names{"ring", "two_shot"};
  EXPECT_EQ(nearest("rnig", names), "ring");
  EXPECT_EQ(nearest("two_shto", names), "two_shot");
  EXPECT_EQ(nearest("binomial", names), "");
  EXPECT_EQ(did_you_mean("", std::vector<std::string>{}), "");
}

TEST(Names, that_do_not_exist) {
  EXPECT_THAT(parse_kind("allreduce").error().text, HasSubstr("did you mean all_reduce?"));
  EXPECT_EQ(parse_kinds("")->size(), std::size(schedule::all_kinds));
  EXPECT_TRUE(check_algorithm("two_shot/ring"));
  EXPECT_THAT(check_algorithm("two_shot/rnig").error().text, HasSubstr("did you mean ring?"));
}

TEST(Tool, verify_ends_in_how_much_is_proved) {
  const Outcome outcome = weft({"verify", "--ranks", "3", "--algorithm", "ring", "--jobs", "2"});
  EXPECT_EQ(outcome.exit_code, success) << outcome.err;
  // 7 compositions, 4 of them of several nodes and with 2 and 3 rails too, make 15 shapes; ring
  // does three kinds, in place and not.
  EXPECT_THAT(outcome.out, EndsWith("proved 90 of 90\n"));
}

TEST(Tool, verify_with_nothing_to_prove_is_misuse) {
  const Outcome outcome = weft({"verify", "--nodes", "3", "--algorithm", "swing"});
  EXPECT_EQ(outcome.exit_code, misuse);
  EXPECT_THAT(outcome.err, HasSubstr("no algorithm fits"));
}

TEST(Tool, a_shown_schedule_is_proved_from_its_file_and_a_spoilt_one_explained) {
  const Outcome shown = weft({"show", "ring", "--nodes", "3"});
  ASSERT_EQ(shown.exit_code, success) << shown.err;
  const Outcome good = weft({"verify", "--file", write_file("good.txt", shown.out)});
  EXPECT_EQ(good.exit_code, success) << good.out << good.err;
  EXPECT_THAT(good.out, EndsWith("proved 2 of 2\n"));

  std::string spoilt = shown.out;  // the first wait goes
  const auto wait = spoilt.find(" after ");
  spoilt.erase(wait, spoilt.find('\n', wait) - wait);
  const Outcome bad = weft({"verify", "--file", write_file("bad.txt", spoilt)});
  EXPECT_EQ(bad.exit_code, failure);
  EXPECT_THAT(bad.out, HasSubstr("race: rank 0 step"));
  EXPECT_THAT(bad.out, EndsWith("proved 0 of 2\n"));
}

TEST(Tool, a_file_that_is_not_there_is_named) {
  const Outcome outcome = weft({"verify", "--trace", "/nonexistent/trace"});
  EXPECT_EQ(outcome.exit_code, failure);
  EXPECT_THAT(outcome.err, HasSubstr("opening /nonexistent/trace"));
}

TEST(Tool, names_the_nearest_option_or_command) {
  const Outcome option = weft({"verify", "--rankz", "4"});
  EXPECT_EQ(option.exit_code, misuse);
  EXPECT_THAT(option.err, HasSubstr("no option '--rankz'; did you mean --ranks?"));
  const Outcome command = weft({"verfy"});
  EXPECT_EQ(command.exit_code, misuse);
  EXPECT_THAT(command.err, HasSubstr("no command 'verfy'; did you mean verify?"));
  EXPECT_EQ(weft({}).exit_code, misuse);
  EXPECT_EQ(weft({"--help"}).exit_code, success);
}

TEST(Tool, digest_is_the_same_each_time_and_another_for_another_schedule) {
  const auto digest = [](const char* nodes) {
    return weft({"show", "ring", "--nodes", nodes, "--digest"}).out;
  };
  EXPECT_EQ(digest("4"), digest("4"));
  EXPECT_NE(digest("4"), digest("5"));
  EXPECT_EQ(digest("4").size(), 33u);
}

TEST(Tool, lists_what_there_is) {
  EXPECT_THAT(weft({"env"}).out, HasSubstr("WEFT_TIMEOUT"));
  EXPECT_THAT(weft({"version"}).out, HasSubstr("weft 0."));
  EXPECT_THAT(weft({"algorithms"}).out, HasSubstr("double_tree"));
  EXPECT_THAT(weft({"algorithms", "--nodes", "2x4", "--kind", "all_reduce"}).out,
              HasSubstr("ring/ring"));
  EXPECT_THAT(weft({"show", "ring", "--nodes", "2", "--dot"}).out, HasSubstr("digraph"));
}

}  // namespace
}  // namespace weft::cli
