// The control tree under simulated time, for many seeds: who is lost is named to all, the rest stay
// one tree, and everybody hears the same verdicts in the same order.
#include <gtest/gtest.h>

#include "tests/unit/control/fleet.hpp"

namespace weft::testing {
namespace {

using namespace std::chrono_literals;

class Seeded : public ::testing::TestWithParam<u32> {
 protected:
  u32 seed() const { return GetParam(); }
  u32 draw(u32 least, u32 most) { return std::uniform_int_distribution(least, most)(random_); }
  std::mt19937 random_{GetParam()};
};

// One root, and everybody else linked below it.
void expect_one_tree(Fleet& fleet) {
  u32 roots = 0;
  for (Process p = 0; p < fleet.size(); ++p) {
    if (!fleet.alive(p)) continue;
    roots += fleet.node(p).is_root();
    if (!fleet.node(p).is_root()) {
      ASSERT_TRUE(fleet.node(p).parent()) << p;
      EXPECT_TRUE(fleet.alive(*fleet.node(p).parent())) << p;
    }
  }
  EXPECT_EQ(roots, 1u);
}

Members everyone(const Fleet& fleet) {
  Members members;
  for (Process p = 0; p < fleet.size(); ++p) members.push_back(p);
  return members;
}

TEST_P(Seeded, NothingHappensWithoutACause) {
  Fleet fleet(draw(1, 70), seed());
  fleet.run(60s);
  expect_one_tree(fleet);
  for (Process p = 0; p < fleet.size(); ++p) EXPECT_TRUE(fleet.ship(p).fallen.empty()) << p;
}

TEST_P(Seeded, TheKilledAreNamedToAllAtOnce) {
  Fleet fleet(draw(2, 40), seed());
  fleet.run(draw(0, 1) ? 5s : 0s);  // also before anybody is connected
  std::set<Process> dead;
  const u32 victims = draw(1, std::min(4u, fleet.size() - 1));
  while (dead.size() < victims) dead.insert(draw(0, fleet.size() - 1));
  for (const Process p : dead) {
    fleet.kill(p);
    fleet.run(std::chrono::milliseconds(draw(0, 20)));
  }
  fleet.run(4s);
  expect_one_tree(fleet);
  std::map<Process, std::string> whys;
  for (Process p = 0; p < fleet.size(); ++p) {
    if (!fleet.alive(p)) continue;
    std::set<Process> named;
    for (const Down& down : fleet.ship(p).fallen) {
      named.insert(down.process);
      EXPECT_EQ(whys.try_emplace(down.process, down.why).first->second, down.why);
      EXPECT_EQ(down.fate, Fate::killed);
    }
    EXPECT_EQ(named, dead) << "on process " << p;
  }
}

TEST_P(Seeded, TheFrozenAreNamedAfterTheTimeoutAndHearOfItWhenTheyWake) {
  Fleet fleet(draw(2, 24), seed());
  fleet.run(5s);
  const Process victim = draw(0, fleet.size() - 1);
  fleet.freeze(victim);
  fleet.run(9s);
  for (Process p = 0; p < fleet.size(); ++p) EXPECT_TRUE(fleet.ship(p).fallen.empty());
  fleet.run(5s);
  for (Process p = 0; p < fleet.size(); ++p) {
    if (p == victim) continue;
    ASSERT_EQ(fleet.ship(p).fallen.size(), 1u) << p;
    EXPECT_EQ(fleet.ship(p).fallen[0].process, victim);
    EXPECT_EQ(fleet.ship(p).fallen[0].fate, Fate::frozen);
  }
  fleet.wake(victim);
  fleet.run(3s);
  ASSERT_FALSE(fleet.ship(victim).fallen.empty());
  EXPECT_EQ(fleet.ship(victim).fallen[0].process, victim);
}

TEST_P(Seeded, AShortSleepIsForgiven) {
  Fleet fleet(draw(2, 24), seed());
  fleet.run(5s);
  const Process sleeper = draw(0, fleet.size() - 1);
  fleet.freeze(sleeper);
  fleet.run(7s);
  fleet.wake(sleeper);
  fleet.run(30s);
  expect_one_tree(fleet);
  for (Process p = 0; p < fleet.size(); ++p) EXPECT_TRUE(fleet.ship(p).fallen.empty()) << p;
}

// A reset connection, a way that is gone: others still reach both ends, so nobody is lost.
TEST_P(Seeded, ALinkThatEndsIsMadeAgain) {
  Fleet fleet(draw(2, 24), seed());
  fleet.run(5s);
  for (u32 times = draw(1, 4); times > 0; --times) {
    const Process child = draw(1, fleet.size() - 1);
    if (fleet.node(child).parent()) fleet.sever(child, *fleet.node(child).parent());
    fleet.run(std::chrono::milliseconds(draw(0, 50)));
  }
  fleet.run(20s);
  expect_one_tree(fleet);
  for (Process p = 0; p < fleet.size(); ++p)
    for (const Down& down : fleet.ship(p).fallen) ADD_FAILURE() << p << ": " << down.process;
}

TEST_P(Seeded, AWayThatIsBlockedIsGoneRound) {
  Fleet fleet(draw(3, 24), seed());
  fleet.run(5s);
  const Process child = draw(2, fleet.size() - 1);
  fleet.block(child, *fleet.node(child).parent());
  fleet.run(60s);
  expect_one_tree(fleet);
  for (Process p = 0; p < fleet.size(); ++p)
    for (const Down& down : fleet.ship(p).fallen) ADD_FAILURE() << p << ": " << down.process;
}

// Nobody reaches it any more.
TEST_P(Seeded, WhoIsCutOffFromAllIsUnreachable) {
  Fleet fleet(draw(3, 24), seed());
  fleet.run(5s);
  const Process lost = draw(1, fleet.size() - 1);
  for (Process p = 0; p < fleet.size(); ++p)
    if (p != lost) fleet.block(p, lost);
  fleet.run(20s);
  for (Process p = 0; p < fleet.size(); ++p) {
    if (p == lost) continue;
    ASSERT_EQ(fleet.ship(p).fallen.size(), 1u) << p;
    EXPECT_EQ(fleet.ship(p).fallen[0].process, lost);
    EXPECT_EQ(fleet.ship(p).fallen[0].fate, Fate::unreachable);
  }
}

// Who is late for an exchange is named to those that ask.
TEST_P(Seeded, WhoIsLateForAnExchangeIsNamed) {
  Fleet fleet(draw(3, 24), seed());
  fleet.run(5s);
  const Members members = everyone(fleet);
  const Process late = draw(0, fleet.size() - 1), asks = late == 0 ? 1 : 0;
  for (Process p = 0; p < fleet.size(); ++p)
    if (p != late) fleet.node(p).contribute({7, 1, p, "here", members}, fleet.now());
  fleet.run(1s);
  fleet.node(asks).inquire(Lacking{7, 1, {}}, fleet.now());
  fleet.run(1s);
  ASSERT_EQ(fleet.ship(asks).lacks.size(), 1u);
  EXPECT_EQ(fleet.ship(asks).lacks[0].ranks, std::vector<u32>{late});
}

// Every rank's ledger travels to whoever asked, not to all.
TEST_P(Seeded, ASurveyIsToldToThoseThatAsked) {
  Fleet fleet(16, seed());
  fleet.run(5s);
  const Process asks = draw(0, 15);
  fleet.node(asks).inquire(Inquire{7, latest_call, false, true, everyone(fleet)}, fleet.now());
  fleet.run(3s);
  EXPECT_EQ(fleet.ship(asks).surveys.size(), 1u);
  u32 told = 0;
  for (Process p = 0; p < 16; ++p) told += u32(fleet.ship(p).surveys.size());
  EXPECT_LE(told, 5u);  // those on the way
}

TEST_P(Seeded, EverybodyHearsTheSameVerdictAlsoWhenTheRootDies) {
  Fleet fleet(draw(3, 33), seed());
  fleet.run(5s);
  const Members members = everyone(fleet);
  const bool root_dies = draw(0, 1);
  for (u32 reports = draw(1, 5); reports > 0; --reports) {
    const u32 rank = draw(1, fleet.size() - 1);
    fleet.node(rank).report(
        {7, rank, Evidence::certain, 6, 0, "rank " + std::to_string(rank), members}, fleet.now());
  }
  if (root_dies) {
    fleet.run(std::chrono::microseconds(draw(0, 5000)));
    fleet.kill(0);
  }
  fleet.run(3s);
  for (Process p = root_dies; p < fleet.size(); ++p) {
    if (root_dies) {  // a death is a verdict as well
      EXPECT_FALSE(fleet.ship(p).fallen.empty());
      continue;
    }
    ASSERT_EQ(fleet.ship(p).verdicts.size(), 1u) << p;
    EXPECT_EQ(fleet.ship(p).verdicts[0].text, fleet.ship(0).verdicts[0].text);
  }
}

TEST_P(Seeded, ABrokenConnectionIsExplainedByADeath) {
  Fleet fleet(draw(3, 20), seed());
  fleet.run(5s);
  const Process victim = draw(1, fleet.size() - 1);
  fleet.node(0).report({7, 0, Evidence::broken, 3, 0, "a connection broke", everyone(fleet)},
                       fleet.now());
  fleet.run(std::chrono::milliseconds(draw(0, 200)));
  fleet.kill(victim);
  fleet.run(3s);
  for (Process p = 0; p < fleet.size(); ++p) {
    if (p == victim) continue;
    EXPECT_TRUE(fleet.ship(p).verdicts.empty());
    EXPECT_EQ(fleet.ship(p).fallen.size(), 1u);
  }
}

// Also where an answer is waited for in vain: who saw the connection break is one of its ends.
TEST_P(Seeded, ABrokenConnectionIsToldWithWhoSpeaksOfIt) {
  Fleet fleet(draw(4, 20), seed());
  fleet.run(5s);
  for (Process p = 0; p < fleet.size(); ++p)
    fleet.ship(p).ledger = Entry{.made = 5, .done = 4, .age_ms = 9, .driven = true, .call = 4};
  const Process mute = 2 * draw(1, (fleet.size() - 2) / 2) + 1;  // odd: nobody is below it
  fleet.freeze(mute);
  fleet.node(1).report({7, 1, Evidence::broken, 3, 4, "a connection broke", everyone(fleet)},
                       fleet.now());
  fleet.run(3s);
  for (Process p = 0; p < fleet.size(); ++p) {
    if (p == mute || !fleet.alive(p)) continue;
    ASSERT_EQ(fleet.ship(p).verdicts.size(), 1u) << p;
    EXPECT_EQ(fleet.ship(p).verdicts[0].text, "rank 1 says: a connection broke");
  }
}

// No death is waited for where all have answered.
TEST_P(Seeded, ABrokenConnectionBetweenTheLivingIsToldAtOnce) {
  Fleet fleet(draw(2, 20), seed());
  fleet.run(5s);
  for (Process p = 0; p < fleet.size(); ++p)
    fleet.ship(p).ledger = Entry{.made = 5, .done = 4, .age_ms = 9, .driven = true, .call = 4};
  fleet.node(1).report({7, 1, Evidence::broken, 3, 4, "a connection broke", everyone(fleet)},
                       fleet.now());
  fleet.run(300ms);
  for (Process p = 0; p < fleet.size(); ++p) EXPECT_EQ(fleet.ship(p).verdicts.size(), 1u) << p;
}

TEST_P(Seeded, ADeadlineNamesWhoNeverArrived) {
  Fleet fleet(draw(2, 20), seed());
  fleet.run(5s);
  const Process late = draw(0, fleet.size() - 1);
  for (Process p = 0; p < fleet.size(); ++p) {
    Entry entry{
        .made = 5, .done = 4, .age_ms = 9000, .driven = true, .call = 4, .called = "barrier()"};
    if (p == late) entry = {.made = 4, .done = 4, .age_ms = 9500};
    fleet.ship(p).ledger = entry;
  }
  const Process reporter = late == 0 ? 1 : 0;
  fleet.node(reporter).report({7, reporter, Evidence::timed_out, 4, 4, "late", everyone(fleet)},
                              fleet.now());
  fleet.run(2s);
  for (Process p = 0; p < fleet.size(); ++p) {
    ASSERT_EQ(fleet.ship(p).verdicts.size(), 1u);
    EXPECT_EQ(
        fleet.ship(p).verdicts[0].text.find("rank " + std::to_string(late) + " never arrived"), 0u)
        << fleet.ship(p).verdicts[0].text;
  }
}

// A process that is well and no longer in the communicator is not called frozen.
TEST_P(Seeded, ADeadlineNamesWhoHasDestroyedTheCommunicator) {
  Fleet fleet(draw(3, 20), seed());
  fleet.run(5s);
  const Process gone = draw(1, fleet.size() - 1);
  for (Process p = 0; p < fleet.size(); ++p) {
    if (p == gone) continue;
    fleet.ship(p).ledger = Entry{
        .made = 5, .done = 4, .age_ms = 9000, .driven = true, .call = 4, .called = "barrier()"};
  }
  if (draw(0, 1))
    fleet.leave(gone);
  else
    fleet.ship(gone).answers_nothing = true;
  fleet.run(1s);
  fleet.node(0).report({7, 0, Evidence::timed_out, 4, 4, "late", everyone(fleet)}, fleet.now());
  fleet.run(2s);
  for (Process p = 0; p < fleet.size(); ++p) {
    if (p == gone) continue;
    ASSERT_EQ(fleet.ship(p).verdicts.size(), 1u);
    EXPECT_EQ(fleet.ship(p).verdicts[0].text.find("rank " + std::to_string(gone) + " is not in"),
              0u)
        << fleet.ship(p).verdicts[0].text;
  }
}

TEST_P(Seeded, WhoLeavesIsNotMissed) {
  Fleet fleet(draw(2, 40), seed());
  fleet.run(draw(0, 1) ? 5s : 30ms);
  for (Process p = 0; p < fleet.size(); ++p) {
    if (draw(0, 3) == 0) continue;
    fleet.leave(p);
    fleet.run(std::chrono::milliseconds(draw(0, 20)));
    if (draw(0, 1) == 0) continue;
    fleet.run(500ms);  // its goodbye is heard first, also where it has to look for somebody
    if (fleet.node(p).has_said_goodbye()) fleet.kill(p);
  }
  fleet.run(30s);
  for (Process p = 0; p < fleet.size(); ++p)
    for (const Down& down : fleet.ship(p).fallen)
      ADD_FAILURE() << down.process << " is missed on process " << p << ": " << down.why;
}

// Processes that end as soon as they may, while one is still there: he misses nobody, also where
// goodbyes were lost in sockets that nobody read any more.
TEST_P(Seeded, WhoEndsRightAfterHisGoodbyeIsNotMissed) {
  Fleet fleet(draw(2, 40), seed());
  fleet.run(draw(0, 1) ? 5s : std::chrono::milliseconds(draw(0, 160)));
  const Process last = draw(0, fleet.size() - 1);
  for (Process p = 0; p < fleet.size(); ++p)
    if (p != last) fleet.leave(p);
  for (int waited = 0; waited <= 400; ++waited) {
    for (Process p = 0; p < fleet.size(); ++p) {
      Node& node = fleet.node(p);
      if (p == last || !fleet.alive(p)) continue;
      if (waited < 400 && !node.is_done()) continue;
      node.exit();
      fleet.kill(p);
    }
    fleet.run(1ms);
  }
  fleet.run(30s);
  for (const Down& down : fleet.ship(last).fallen)
    ADD_FAILURE() << down.process << " is missed: " << down.why;
}

// All that are left get the same list, whoever dies meanwhile.
TEST_P(Seeded, SurvivorsAgreeOnWhoIsLeft) {
  Fleet fleet(draw(3, 24), seed());
  fleet.run(5s);
  const Members members = everyone(fleet);
  const Process first = draw(0, fleet.size() - 1), second = draw(0, fleet.size() - 1);
  fleet.kill(first);
  for (Process p = 0; p < fleet.size(); ++p) {
    if (p == first) continue;
    fleet.node(p).contribute({7, 1, p, "part of " + std::to_string(p), members}, fleet.now());
    fleet.run(std::chrono::milliseconds(draw(0, 2)));
    if (draw(0, 5) == 0 && fleet.alive(second)) fleet.kill(second);
  }
  fleet.run(5s);
  std::optional<Gathered> agreed;
  for (Process p = 0; p < fleet.size(); ++p) {
    if (!fleet.alive(p)) continue;
    ASSERT_EQ(fleet.ship(p).results.size(), 1u) << p;
    const Gathered& result = fleet.ship(p).results[0];
    if (!agreed) agreed = result;
    EXPECT_EQ(result.blobs, agreed->blobs);
  }
  for (const auto& [rank, blob] : agreed->blobs) EXPECT_NE(rank, first);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Seeded, ::testing::Range(0u, 200u));

TEST(Tree, AVerdictReachesALargeJobQuickly) {
  Fleet fleet(1000, 1);
  fleet.run(5s);
  fleet.node(999).report({7, 999, Evidence::certain, 6, 0, "enough", everyone(fleet)}, fleet.now());
  fleet.run(100ms);
  for (Process p = 0; p < fleet.size(); ++p) EXPECT_EQ(fleet.ship(p).verdicts.size(), 1u) << p;
}

}  // namespace
}  // namespace weft::testing
