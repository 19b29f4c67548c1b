// Points, states and turns, with distances and times that the test makes up.
#include "perf/points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "perf/turns.hpp"

namespace weft::perf {
namespace {

using testing::ElementsAre;

TEST(Points, StatesHaveTheirBounds) {
  for (const auto& [nanoseconds, name] :
       {std::pair(0.0, "none"), std::pair(-1.0, "none"), std::pair(1.0, "near"),
        std::pair(119.9, "near"), std::pair(120.0, "mid"), std::pair(399.9, "mid"),
        std::pair(400.0, "far"), std::pair(1e6, "far")})
    EXPECT_STREQ(name_of(state_of(nanoseconds)), name) << nanoseconds;
}

TEST(Points, APointDuringWhichTheDistanceChangedIsDropped) {
  Points points(1);
  points.add(0, 1, 50, 119);
  points.add(0, 100, 119, 121);
  points.add(0, 100, 500, 50);
  points.add(0, 100, 0, 50);
  points.add(0, 3, 60, 60);
  EXPECT_EQ(points.dropped(), 3u);
  const auto states = points.states(1);
  ASSERT_EQ(states.size(), 1u);
  EXPECT_EQ(states[0].state, State::near);
  EXPECT_THAT(states[0].medians, ElementsAre(2));
  EXPECT_THAT(states[0].points, ElementsAre(2));
}

TEST(Points, MediansAndRatiosAreOfOneState) {
  Points points(2);
  for (double seconds : {5, 1, 9}) points.add(0, seconds, 50, 50);
  for (double seconds : {40, 10, 20, 15}) points.add(1, seconds, 50, 50);
  for (double seconds : {7, 8}) points.add(0, seconds, 200, 200);
  for (double seconds : {3, 3}) points.add(1, seconds, 200, 200);
  const auto states = points.states(2);
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states[0].state, State::near);  // more points
  EXPECT_THAT(states[0].medians, ElementsAre(5, 17.5));
  EXPECT_DOUBLE_EQ(states[0].ratio(1), 3.5);
  EXPECT_EQ(states[1].state, State::mid);
  EXPECT_THAT(states[1].medians, ElementsAre(7.5, 3));
  EXPECT_DOUBLE_EQ(states[1].ratio(1), 0.4);
}

TEST(Points, AStateNeedsEnoughPointsOfEveryContender) {
  Points points(2);
  EXPECT_FALSE(points.enough(1));
  EXPECT_TRUE(points.states(0).empty());
  for (int i = 0; i < 3; ++i) points.add(0, 1, 50, 50);
  EXPECT_FALSE(points.enough(1));
  points.add(1, 1, 200, 200);
  EXPECT_FALSE(points.enough(1));
  points.add(1, 1, 50, 50);
  EXPECT_TRUE(points.enough(1));
  EXPECT_FALSE(points.enough(2));
}

// Cores whose distance follows a script, a step at each look; times tell which contender it was.
class Script {
 public:
  explicit Script(std::vector<double> distances) : distances_(std::move(distances)) {}
  Result<Points> run(std::size_t contenders, std::size_t rounds, std::size_t most) {
    return take_turns({.contenders = contenders,
                       .rounds = rounds,
                       .most_rounds = most,
                       .distance = [this]() -> Result<double> {
                         log_ += '.';
                         return distances_[looks_++ % distances_.size()];
                       },
                       .run = [this](std::size_t contender) -> Result<double> {
                         log_ += static_cast<char>('a' + contender);
                         if (log_.size() > fails_after_)
                           return fail(Exit::timeout, "after {}", log_);
                         return static_cast<double>(contender + 1);
                       }});
  }
  void fails_after(std::size_t length) { fails_after_ = length; }
  const std::string& log() const { return log_; }

 private:
  std::vector<double> distances_;
  std::size_t looks_ = 0, fails_after_ = 1000;
  std::string log_;
};

TEST(Turns, ContendersAlternateAndEveryPointLiesBetweenTwoLooks) {
  Script two({50});
  ASSERT_TRUE(two.run(2, 3, 30));
  EXPECT_EQ(two.log(), ".a.b.b.a.a.b.");
  Script three({50});
  ASSERT_TRUE(three.run(3, 2, 30));
  EXPECT_EQ(three.log(), ".a.b.c.c.b.a.");
}

TEST(Turns, GoOnUntilOneStateHasEnough) {
  // near near | near mid | mid mid | ...: every fourth point is dropped.
  Script script({50, 50, 50, 200, 200, 200});
  const auto points = script.run(2, 9, 90);
  ASSERT_TRUE(points);
  const auto states = points->states(9);
  ASSERT_GE(states.size(), 1u);
  EXPECT_GT(points->dropped(), 0u);
  for (const StateResult& state : states) {
    EXPECT_THAT(state.medians, ElementsAre(1, 2)) << name_of(state.state);
    EXPECT_GE(std::min(state.points[0], state.points[1]), 9u);
  }
}

TEST(Turns, EndWithNothingWhereTheCoresNeverStay) {
  Script script({50, 200});
  const auto points = script.run(2, 9, 20);
  ASSERT_TRUE(points);
  EXPECT_TRUE(points->states(9).empty());
  EXPECT_EQ(points->dropped(), 40u);
}

TEST(Turns, AFailureEndsThem) {
  Script script({50});
  script.fails_after(5);
  const auto points = script.run(2, 9, 90);
  ASSERT_FALSE(points);
  EXPECT_EQ(points.error().text, "after .a.b.b");
}

}  // namespace
}  // namespace weft::perf
