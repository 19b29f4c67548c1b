#include "perf/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perf/candidates.hpp"

namespace weft::perf {
namespace {

using testing::HasSubstr;

Verdict comparison() {
  return {.entrants = {{.name = "weft"}, {.name = "mpi"}},
          .states = {{.state = State::near, .medians = {1e-6, 1.5e-6}, .points = {12, 11}},
                     {.state = State::mid, .medians = {4e-6, 2e-6}, .points = {9, 10}}},
          .dropped = 2,
          .refusal = ""};
}

Verdict schedules() {
  return {.entrants = {{.name = "ring"},
                       {.name = "a", .order = "canonical"},
                       {.name = "b", .order = "fast", .may_win = false},
                       {.name = "c", .order = "canonical"}},
          .states = {{.state = State::far,
                      .medians = {6e-6, 4e-6, 1e-6, 5e-6},
                      .points = {9, 9, 9, 10}}},
          .dropped = 0,
          .refusal = ""};
}

TEST(Verdict, RegretIsAgainstTheBestThatMayWin) {
  const Verdict verdict = schedules();
  const Regret regret = regret_of(verdict.states[0], verdict.entrants);
  EXPECT_EQ(verdict.entrants[regret.best].name, "a");
  EXPECT_DOUBLE_EQ(regret.factor, 1.5);
}

TEST(Verdict, TheChosenOneCanBeTheBest) {
  Verdict verdict = schedules();
  verdict.states[0].medians[0] = 3e-6;
  const Regret regret = regret_of(verdict.states[0], verdict.entrants);
  EXPECT_EQ(regret.best, 0u);
  EXPECT_DOUBLE_EQ(regret.factor, 1);
}

TEST(Verdict, ARowHasTheStateWithMostPointsAndTheOthersBelow) {
  const Verdict verdict = comparison();
  EXPECT_EQ(comparison_columns(verdict, {"mpi"}), "     1.00     1.50     1.50   near");
  EXPECT_EQ(comparison_lines(verdict),
            "#   mid: weft 4.00 us, mpi 2.00 us, ratio 0.50, 9 points each\n");
}

// Two peers, one of which has two forms.
Verdict of_several() {
  return {.entrants = {{.name = "weft"},
                       {.name = "bound", .form = "direct"},
                       {.name = "bound", .form = "halves"},
                       {.name = "mpi"}},
          .states =
              {{.state = State::near, .medians = {2e-6, 3e-6, 1e-6, 5e-6}, .points = {9, 9, 9, 9}},
               {.state = State::mid, .medians = {4e-6, 2e-6, 3e-6, 6e-6}, .points = {9, 9, 9, 9}}},
          .dropped = 0,
          .refusal = ""};
}

TEST(Verdict, OfSeveralFormsTheFastestCountsInEachState) {
  const Verdict verdict = of_several();
  EXPECT_THAT(rivals_of(verdict.states[0], verdict.entrants), testing::ElementsAre(2, 3));
  EXPECT_THAT(rivals_of(verdict.states[1], verdict.entrants), testing::ElementsAre(1, 3));
  EXPECT_EQ(comparison_lines(verdict),
            "#   mid: weft 4.00 us, bound (direct) 2.00 us, ratio 0.50, mpi 6.00 us, ratio 1.50, 9 "
            "points each\n");
}

TEST(Verdict, EveryPeerHasItsColumnsInTheOrderAskedFor) {
  const std::vector<std::string> names = {"mpi", "gloo", "bound"};
  EXPECT_EQ(comparison_columns(of_several(), names),
            "     2.00     5.00     2.50        -        -     1.00     0.50   near");
  Options options;
  options.compare = names;
  EXPECT_EQ(more_titles(options).names,
            "     weft      mpi    ratio     gloo    ratio    bound    ratio  state");
  options.compare = {"mpi:without"};
  EXPECT_EQ(more_titles(options).names.size(),
            comparison_columns(comparison(), options.compare).size());
  EXPECT_EQ(more_titles(options).units.size(), more_titles(options).names.size());
}

TEST(Verdict, WithoutAStateNothingIsClaimed) {
  Verdict verdict = comparison();
  verdict.states.clear();
  EXPECT_EQ(comparison_columns(verdict, {"mpi"}), "        -        -        -      -");
  EXPECT_THAT(comparison_lines(verdict), HasSubstr("2 points dropped"));
  EXPECT_THAT(schedule_lines(verdict), HasSubstr("2 points dropped"));
  verdict.refusal = "mpi has no sum of half";
  EXPECT_EQ(comparison_lines(verdict), "#   mpi has no sum of half\n");
}

TEST(Verdict, WrongResultsAreToldBesideTheTimes) {
  Verdict verdict = comparison();
  verdict.refusal = "mpi: 3 wrong elements";
  EXPECT_THAT(comparison_lines(verdict), HasSubstr("#   mpi: 3 wrong elements\n"));
}

TEST(Verdict, SchedulesStandFromFastToSlow) {
  EXPECT_EQ(schedule_lines(schedules()),
            "#   far: chosen ring, best a, regret 1.50, 9 points each\n"
            "#        1.00 us  0.17  b (fast), another order than promised\n"
            "#        4.00 us  0.67  a (canonical)\n"
            "#        5.00 us  0.83  c (canonical)\n"
            "#        6.00 us  1.00  as chosen: ring\n");
}

TEST(Verdict, ColumnsFitTheirTitles) {
  Options options;
  EXPECT_TRUE(more_titles(options).names.empty());
  options.compare = {"mpi"};
  EXPECT_EQ(more_titles(options).names.size(), comparison_columns(comparison(), {"mpi"}).size());
  EXPECT_EQ(more_titles(options).units.size(), comparison_columns(comparison(), {"mpi"}).size());
  options.compare.clear();
  options.details = true;
  EXPECT_EQ(details_columns({.first = 12, .cpu = 3.456, .p99_over_p50 = 1.1}),
            "    12.00     3.46     1.10");
  EXPECT_EQ(more_titles(options).names.size(), 27u);
  EXPECT_EQ(more_titles(options).units.size(), 27u);
  options.percentiles = {50, 99.9};
  EXPECT_EQ(percentile_columns({12, 3.456}), "    12.00     3.46");
  EXPECT_EQ(more_titles(options).names.substr(27), "      p50    p99.9");
  EXPECT_EQ(more_titles(options).units.size(), 45u);
}

TEST(Candidates, AreTheLinesOfTheirCollective) {
  const std::string text =
      "all_reduce      ring                                 fast\n"
      "all_reduce      two_shot/ring                        shape\n"
      "barrier         dissemination                        \n"
      "\n"
      "all_gather      ring                                 \n";
  const auto sums = parse_candidates(text, weft_collective_all_reduce);
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[0].name, "ring");
  EXPECT_EQ(sums[0].order, "fast");
  EXPECT_EQ(sums[1].name, "two_shot/ring");
  EXPECT_EQ(sums[1].order, "shape");
  const auto moves = parse_candidates(text, weft_collective_all_gather);
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_EQ(moves[0].order, "");
  EXPECT_TRUE(parse_candidates(text, weft_collective_broadcast).empty());
}

}  // namespace
}  // namespace weft::perf
