// A deadline is exact about before and after, and what is left always fits a wait.
#include <gtest/gtest.h>

#include "base/clock.hpp"

namespace weft {
namespace {

using namespace std::chrono_literals;

TEST(deadline, the_past_has_passed_and_leaves_nothing) {
  for (Duration ago : {Duration(0), Duration(1), Duration(1h)}) {
    const Deadline deadline{Clock::now() - ago};
    EXPECT_TRUE(deadline.passed());
    EXPECT_EQ(deadline.left(), 0ns);
  }
}

TEST(deadline, the_future_has_not_passed) {
  const Deadline deadline = Deadline::after(24h);
  EXPECT_FALSE(deadline.passed());
  EXPECT_EQ(deadline.left(), 1h) << "the default bound of a single wait";
  EXPECT_EQ(deadline.left(10ms), 10ms);
  EXPECT_GT(deadline.left(48h), 23h);
  EXPECT_LE(deadline.left(48h), 24h);
}

TEST(deadline, never_does_not_pass_and_does_not_overflow) {
  const Deadline deadline = Deadline::never();
  EXPECT_FALSE(deadline.passed());
  EXPECT_EQ(deadline.left(), 1h);
  EXPECT_EQ(deadline.left(5s), 5s);
  EXPECT_EQ(Deadline{}.at, deadline.at);
}

}  // namespace
}  // namespace weft
