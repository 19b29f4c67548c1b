// Whole runs of the tools on a fake library: what a user sees, and what a wrong library does to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <sstream>

#include "fake_library.hpp"
#include "tool_run.hpp"

namespace weft::perf {
namespace {

using testing::HasSubstr;
using testing::Not;

// Each of the two "#wrong" columns of each row.
std::vector<std::string> wrong_columns(const Outcome& outcome) {
  std::vector<std::string> columns;
  for (const auto& row : outcome.rows) {
    EXPECT_EQ(row.size(), 13u);
    columns.push_back(row.at(8));
    columns.push_back(row.at(12));
  }
  return columns;
}

class Run : public testing::Test {
 protected:
  void SetUp() override { fake::set_fault(fake::Fault::none); }
  void TearDown() override {
    fake::set_fault(fake::Fault::none);
    EXPECT_EQ(fake::open_communicators(), 0);
    EXPECT_EQ(fake::open_operators(), 0);
    EXPECT_EQ(fake::open_buffers(), 0);
    EXPECT_FALSE(fake::group_is_open());
  }
};

const Collective* const collectives[] = {
    &all_reduce, &reduce_scatter, &all_gather,  &broadcast, &scatter,         &all_to_all, &gatherv,
    &reduce,     &gather,         &all_gatherv, &scatterv,  &reduce_scatterv, &all_to_allv};

TEST_F(Run, EveryCollectiveTypeOperatorAndPlaceIsRight) {
  const std::vector<std::vector<std::string>> layouts = {
      {"-t1", "-g1"},
      {"-t1", "-g5", "--offset", "3"},
      {"-t2", "-g2", "-u1", "-z1"},
      {"-t3", "-g1", "-p1", "-z3"},
      {"-t2", "-g1", "-m3", "-z2", "--offset=15"},
      {"-t1", "-g2", "-m5", "-a3"}};
  for (const Collective* collective : collectives) {
    for (std::vector<std::string> words : layouts) {
      for (const char* word :
           {"-b", "0", "-e", "1003", "-f5", "-n2", "-d", "all", "-o", "all", "-r", "all"})
        words.emplace_back(word);
      const Outcome outcome = run(*collective, words);
      EXPECT_EQ(outcome.exit, 0) << outcome.out << outcome.err;
      EXPECT_THAT(wrong_columns(outcome), testing::Each("0"));
      EXPECT_GE(outcome.rows.size(), 4u * 5u);
      EXPECT_EQ(outcome.comment("# Out of bounds"), "# Out of bounds values : 0 OK");
    }
  }
}

std::vector<std::string> pairs_walked(const Collective& collective,
                                      std::vector<std::string> words) {
  for (const char* word : {"-g2", "-b32", "-e32", "-n1"}) words.emplace_back(word);
  std::vector<std::string> pairs;
  for (const auto& row : run(collective, words).rows) pairs.push_back(row.at(2) + " " + row.at(3));
  return pairs;
}

TEST_F(Run, AllIsWhatGoesTogether) {
  EXPECT_THAT(pairs_walked(all_reduce, {"-d", "float", "-o", "all"}),
              testing::ElementsAre("float sum", "float prod", "float max", "float min", "float avg",
                                   "float mulsum"));
  EXPECT_THAT(pairs_walked(all_reduce, {"-d", "half", "-o", "all"}),
              testing::ElementsAre("half sum", "half prod", "half max", "half min", "half avg",
                                   "half mulsum", "half sum_wide", "half avg_wide"));
  EXPECT_THAT(pairs_walked(all_reduce, {"-d", "bool", "-o", "all"}),
              testing::ElementsAre("bool sum", "bool prod", "bool max", "bool min", "bool band",
                                   "bool bor", "bool bxor", "bool land", "bool lor", "bool lxor"));
  EXPECT_THAT(pairs_walked(reduce_scatter, {"-d", "all", "-o", "maxloc"}),
              testing::ElementsAre("float_int maxloc", "double_int maxloc", "short_int maxloc",
                                   "2int maxloc", "long_int maxloc"));
  // 8 integers of 12 each, 2 wide and 4 narrow floats, bool, pairs.
  EXPECT_EQ(pairs_walked(all_reduce, {"-d", "all", "-o", "all"}).size(),
            8u * 12 + 2 * 6 + 4 * 8 + 10 + 5 * 2);
  EXPECT_EQ(pairs_walked(all_gather, {"-d", "all", "-o", "all"}).size(), 20u);
  EXPECT_THAT(pairs_walked(all_reduce, {"-d", "float", "-o", "sum_wide"}),
              testing::ElementsAre("float sum_wide"));
}

TEST_F(Run, ATypeAndAnOperatorThatDoNotGoTogetherAreRefused) {
  const Outcome bits = run(all_reduce, {"-d", "half", "-o", "band"});
  EXPECT_EQ(bits.exit, 255);
  EXPECT_EQ(bits.err,
            "operator 'band' means nothing for elements of type 'half': half takes sum, prod, max, "
            "min, avg, mulsum, sum_wide, avg_wide; band is for int8, uint8, int32, uint32, int64, "
            "uint64, bool, int16, uint16\n");
  EXPECT_EQ(run(all_reduce, {"-d", "bool", "-o", "mulsum"}).exit, 255);
  const Outcome pair = run(reduce_scatter, {"-d", "float_int"});
  EXPECT_EQ(pair.exit, 255);
  EXPECT_THAT(pair.err, HasSubstr("operator 'sum' means nothing for elements of type 'float_int': "
                                  "float_int takes minloc, maxloc; sum is for"));
  EXPECT_EQ(run(all_gather, {"-d", "float_int", "-b8", "-e8", "-n1"}).exit, 0);
}

TEST_F(Run, TheOrderIsAskedForAndTold) {
  const std::vector<std::string> words = {"-g2", "-b8", "-e8", "-n1"};
  EXPECT_EQ(run(all_reduce, words).comment("# order "), "# order canonical");
  std::vector<std::string> fast = words;
  fast.emplace_back("--order=fast");
  EXPECT_EQ(run(all_reduce, fast).comment("# order "), "# order fast");
}

TEST_F(Run, SharedBuffersAreTheLibrarysAndSaid) {
  const std::vector<std::string> words = {"-g2", "-b8", "-e64", "-f2", "-n1"};
  EXPECT_EQ(run(all_reduce, words).comment("# buffers "), "# buffers private");
  EXPECT_EQ(fake::shared_buffers_made(), 0);
  std::vector<std::string> shared = words;
  shared.emplace_back("--buffers=shared");
  const Outcome outcome = run(all_reduce, shared);
  EXPECT_EQ(outcome.comment("# buffers "), "# buffers shared (weft_mem_alloc)");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(fake::shared_buffers_made(), 2 * 2);
}

TEST_F(Run, RowsSayWhatWasRun) {
  const Outcome outcome = run(broadcast, {"-g3", "-b8", "-e32", "-f2", "-n1", "-r", "2"});
  ASSERT_EQ(outcome.rows.size(), 3u);
  EXPECT_THAT(std::vector(outcome.rows[1].begin(), outcome.rows[1].begin() + 5),
              testing::ElementsAre("16", "4", "float", "none", "2"));
  const Outcome scatter = run(reduce_scatter, {"-g3", "-b100", "-e100", "-n1", "-ddouble"});
  ASSERT_EQ(scatter.rows.size(), 1u);
  EXPECT_THAT(std::vector(scatter.rows[0].begin(), scatter.rows[0].begin() + 5),
              testing::ElementsAre("96", "4", "double", "sum", "-1"));
}

TEST_F(Run, EveryKindOfWrongResultIsSeenOnEveryCollective) {
  for (const Collective* collective : collectives) {
    for (fake::Fault fault :
         {fake::Fault::flipped_bit, fake::Fault::past_the_end, fake::Fault::stale_result}) {
      fake::set_fault(fault);
      const Outcome outcome = run(*collective, {"-t2", "-g2", "-b256", "-e1K", "-f4", "-n1"});
      EXPECT_EQ(outcome.exit, 7) << collective->name;
      EXPECT_THAT(outcome.comment("# Out of bounds"), HasSubstr(" FAILED"));
      for (const auto& row : outcome.rows) EXPECT_NE(row.at(8), "0") << collective->name;
    }
  }
}

TEST_F(Run, WithoutACheckNothingIsClaimed) {
  fake::set_fault(fake::Fault::flipped_bit);
  const Outcome outcome = run(all_reduce, {"-g2", "-b8", "-e8", "-n1", "-c0"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_THAT(wrong_columns(outcome), testing::Each("N/A"));
}

TEST_F(Run, EachIterationOfTheCheckLooks) {
  const Outcome once = run(all_reduce, {"-g2", "-b8", "-e8", "-n3", "-w2", "-c1"});
  const long calls = fake::collectives();
  EXPECT_EQ(calls, 2 + 2 * (1 + 3 + 1));  // warm-up; per place: before the clock, timed, checked
  fake::set_fault(fake::Fault::flipped_bit, static_cast<int>(calls) + 3);
  const Outcome often = run(all_reduce, {"-g2", "-b8", "-e8", "-n3", "-w2", "-c5"});
  EXPECT_EQ(once.exit, 0);
  EXPECT_EQ(often.exit, 7);
}

TEST_F(Run, LittleBandwidthFails) {
  setenv("NCCL_TESTS_MIN_BW", "1e9", 1);
  const Outcome slow = run(all_reduce, {"-g2", "-b8", "-e8", "-n1"});
  setenv("NCCL_TESTS_MIN_BW", "0", 1);
  const Outcome fast = run(all_reduce, {"-g2", "-b8", "-e8", "-n1"});
  unsetenv("NCCL_TESTS_MIN_BW");
  EXPECT_EQ(slow.exit, 7);
  EXPECT_THAT(slow.comment("# Avg bus bandwidth    : "), testing::EndsWith(" FAILED"));
  EXPECT_EQ(fast.exit, 0);
  EXPECT_THAT(fast.comment("# Avg bus bandwidth    : "), testing::EndsWith(" OK"));
}

TEST_F(Run, ALibraryThatFailsEndsTheRunWithItsText) {
  for (const auto& [result, exit] :
       {std::pair(weft_timed_out, 4), std::pair(weft_remote_error, 3)}) {
    fake::set_fault(fake::Fault::failing_call, 4, result);
    const Outcome outcome = run(all_reduce, {"-t1", "-g3", "-b8", "-e1K", "-f2", "-n2"});
    EXPECT_EQ(outcome.exit, exit);
    EXPECT_THAT(outcome.err, HasSubstr("as the test asked"));
  }
}

TEST_F(Run, OptionsThatDoNotFitTheRanksAreRefused) {
  EXPECT_EQ(run(broadcast, {"-g3", "-r3"}).exit, 6);
  const Outcome nodes = run(all_reduce, {"-g5", "--nodes", "1+3"});
  EXPECT_EQ(nodes.exit, 6);
  EXPECT_THAT(nodes.err, HasSubstr("--nodes 1+3 is 4 ranks, but there are 5"));
  EXPECT_EQ(run(all_reduce, {"-g2", "--algorithm", "loom"}).exit, 3);
  EXPECT_EQ(run(all_reduce, {"--bogus"}).exit, 255);
  EXPECT_EQ(run(all_reduce, {"--help"}).exit, 0);
}

TEST_F(Run, DevicesAreNodesAndTransports) {
  const Outcome outcome = run(all_reduce, {"-t1", "-g5", "--nodes", "2", "-b8", "-e8", "-n1"});
  EXPECT_THAT(outcome.comment("#  Rank  2 "), testing::EndsWith("node  0 [node0] shm, tcp"));
  EXPECT_THAT(outcome.comment("#  Rank  3 "), testing::EndsWith("node  1 [node1] shm, tcp"));
}

TEST_F(Run, DigestsAreEqualWhateverTheLayoutAndTheTiming) {
  for (const Collective* collective : collectives) {
    const auto digest = [&](std::vector<std::string> words) {
      for (const char* word : {"-b64", "-e1K", "-f4", "--digest"}) words.emplace_back(word);
      const Outcome outcome = run(*collective, words);
      EXPECT_EQ(outcome.exit, 0);
      const std::string line = outcome.comment("# Digest : ");
      EXPECT_EQ(line.size(), 11u + 32u);
      EXPECT_TRUE(outcome.out.ends_with(line + "\n")) << "the last line";
      return line;
    };
    const std::string reference = digest({"-t1", "-g4", "-n1"});
    EXPECT_EQ(digest({"-t4", "-g1", "-n3", "-w2", "-c0"}), reference);
    EXPECT_EQ(digest({"-t2", "-g2", "-p1", "--nodes", "2", "-n1", "--offset", "5"}), reference);
    EXPECT_NE(digest({"-t1", "-g3", "-n1"}), reference);
  }
}

TEST_F(Run, RanksThatDifferHaveNoDigest) {
  fake::set_fault(fake::Fault::flipped_bit);
  const Outcome outcome = run(all_reduce, {"-g3", "-b64", "-e64", "-n1", "-c0", "--digest"});
  EXPECT_EQ(outcome.exit, 7);
  EXPECT_EQ(outcome.comment("# Digest : "),
            "# Digest : FAILED: the results of rank 1 are not those of rank 0");
}

TEST_F(Run, ExplainSpeaksLastAndOnlyWhenAsked) {
  const std::vector<std::string> words = {"-g2", "--nodes", "2", "-b8", "-e1K", "-f2", "-n1"};
  EXPECT_THAT(run(all_reduce, words).out, Not(HasSubstr("Schedule")));
  std::vector<std::string> asked = words;
  asked.emplace_back("--explain");
  EXPECT_TRUE(
      run(all_reduce, asked)
          .out.ends_with("# Machine : 2 ranks on 2 nodes (some), shm in a node, tcp between nodes\n"
                         "# Schedule of 8 B : loops over 2 elements by operator 0\n"
                         "# Schedule of 1024 B : loops over 256 elements by operator 0\n"));
  // The operator under test: of all that pairs take the first, and one made for the communicator.
  const auto explained = [](std::vector<std::string> what) {
    for (const char* word : {"-g2", "-b8", "-e8", "-n1", "--explain"}) what.emplace_back(word);
    return run(all_reduce, what).out;
  };
  EXPECT_THAT(explained({"-d", "2int", "-o", "all"}), testing::EndsWith("by operator 11\n"));
  EXPECT_THAT(explained({"-o", "mulsum"}), testing::ContainsRegex("by operator [1-9][0-9]{4,}\n$"));
}

TEST_F(Run, CyclesIterationsAndTimestampsHaveTheirColumns) {
  EXPECT_EQ(run(all_reduce, {"-g2", "-b8", "-e16", "-f2", "-n1", "-N3"}).rows.size(), 6u);
  const Outcome outcome = run(all_reduce, {"-t2", "-g1", "-b8", "-e8", "-n4", "-I1", "-K1", "-S1"});
  ASSERT_EQ(outcome.rows.size(), 1u);
  EXPECT_EQ(outcome.rows[0].size(), 5u + 8u + 8u + 2u);
  EXPECT_THAT(outcome.out, HasSubstr("summary skips first 1 iterations \n"));
}

}  // namespace
}  // namespace weft::perf
