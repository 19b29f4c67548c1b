// The rate by a clock of the test's own: never more than it allows, and no less than it could.
#include "net/fault/rate.hpp"

#include <gtest/gtest.h>

#include <random>

namespace weft::fault {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

Post of(u64 bytes) { return {.peer = 1, .rail = 0, .bytes = bytes, .message = {}}; }

struct Link {
  explicit Link(u64 bytes_per_second) : rate(bytes_per_second) {}
  bool post(u64 bytes) {
    if (rate.judge(of(bytes), now).fault) return false;
    rate.went(of(bytes), now);
    sent += bytes;
    return true;
  }
  Rate rate;
  TimePoint now{seconds(1000)};
  u64 sent = 0;
};

TEST(FaultRate, AnIdleLinkTakesAPostOfAnyLength) {
  Link link(1000);
  EXPECT_TRUE(link.post(5000));  // five seconds' worth
  EXPECT_FALSE(link.post(1));
  const Verdict verdict = link.rate.judge(of(1), link.now);
  EXPECT_EQ(verdict.when, link.now + seconds(5) - Rate::slack);
  link.now = verdict.when - Duration(1);
  EXPECT_FALSE(link.post(1));
  link.now = verdict.when;
  EXPECT_TRUE(link.post(1));
}

TEST(FaultRate, PostsOfNothingCostNothing) {
  Link link(1000);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(link.post(0));
  EXPECT_TRUE(link.post(5000));
  EXPECT_FALSE(link.post(0)) << "but they keep their place behind others";
}

TEST(FaultRate, IdleTimeIsNotSavedUp) {
  Link link(1 << 20);
  link.now += seconds(100);
  while (link.post(1024)) {}
  EXPECT_LE(link.sent, (1 << 20) / 1000 + 2 * 1024u) << "slack and one post";
}

// Posts of random lengths, looked at every so often: over any time the rate is kept from above, and
// from below by who looks at least once in the slack.
TEST(FaultRate, IsKeptFromAboveAndBelow) {
  for (const u64 rate : {u64{999'983}, u64{100} << 20, u64{1} << 30, Rate::most})
    for (const u64 longest : {u64{1}, u64{1500}, u64{128} << 10}) {
      Link link(rate);
      std::mt19937_64 dice(rate + longest);
      const TimePoint start = link.now;
      for (int look = 0; look < 2000; ++look) {
        for (int posts = 0; posts < 1000 && link.post(1 + dice() % longest);) ++posts;
        link.now += microseconds(1 + dice() % 900);
      }
      const double allowed = double((link.now - start).count()) * 1e-9 * double(rate);
      const double burst = double(rate) * 1e-3 + double(longest);
      EXPECT_LE(double(link.sent), allowed + burst) << rate << ", posts up to " << longest;
      // A thousand posts a look may be fewer than the link could take.
      if (double(longest) * 500 < double(rate) * 1e-3) continue;
      EXPECT_GE(double(link.sent), allowed - burst) << rate << ", posts up to " << longest;
    }
}

TEST(FaultRate, TheSamePostsAtTheSameTimesGetTheSameAnswers) {
  const auto story = [] {
    Link link(1 << 20);
    std::mt19937_64 dice(7);
    std::string told;
    for (int i = 0; i < 500; ++i) {
      told += link.post(dice() % 4096) ? '+' : '-';
      link.now += microseconds(dice() % 2000);
    }
    return told;
  };
  EXPECT_EQ(story(), story());
  EXPECT_NE(story().find('-'), std::string::npos);
}

}  // namespace
}  // namespace weft::fault
