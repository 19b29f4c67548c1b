// When a rank that shares its core stops yielding and sleeps instead. Time is made up here.
#include "executor/neighbours.hpp"

#include <gtest/gtest.h>

namespace weft::executor {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

struct Core {
  void yield(Duration turn) {
    const TimePoint began = now;
    now += turn;
    neighbours.yielded(began, now);
  }
  bool competes() const { return neighbours.compete(now); }
  // How long a rank sleeps before it yields again.
  Duration sleep_through() {
    const TimePoint began = now;
    while (competes()) now += milliseconds(1);
    return now - began;
  }

  Neighbours neighbours;
  TimePoint now = TimePoint{} + milliseconds(1000);
};

TEST(Neighbours, RanksThatWaitAreNoCompetition) {
  Core core;
  for (int i = 0; i < 100000; ++i) core.yield(microseconds(300));
  EXPECT_FALSE(core.competes());
}

TEST(Neighbours, ALongTurnNowAndThenIsNone) {
  Core core;
  for (int i = 0; i < 100; ++i) {
    core.yield(milliseconds(4));
    core.now += milliseconds(40);
    EXPECT_FALSE(core.competes()) << i;
  }
}

TEST(Neighbours, AProcessThatComputesIsAndIsLookedForEverMoreSeldom) {
  Core core;
  int yields = 0;
  for (; !core.competes() && yields < 100; ++yields) core.yield(milliseconds(4));
  EXPECT_LE(yields, 5);
  Duration before{0};
  for (int i = 0; i < 10; ++i) {
    const Duration slept = core.sleep_through();
    EXPECT_TRUE(slept > before || slept >= Neighbours::longest) << i;
    before = slept;
    core.yield(milliseconds(4));  // one look is enough while it is there
    EXPECT_TRUE(core.competes()) << i;
  }
}

TEST(Neighbours, OnceItIsGoneRanksYieldAgain) {
  Core core;
  while (!core.competes()) core.yield(milliseconds(4));
  core.sleep_through();
  for (int i = 0; i < 100000; ++i) {
    core.yield(microseconds(3));
    ASSERT_FALSE(core.competes()) << i;
  }
  core.yield(milliseconds(4));
  EXPECT_FALSE(core.competes());
}

}  // namespace
}  // namespace weft::executor
