// From ledgers to the sentence: each kind of trouble is told from the others.
#include "control/diagnose.hpp"

#include <gtest/gtest.h>

namespace weft::control {
namespace {

Entry waiting(u32 rank, std::vector<u32> peers, u64 age_ms = 20000) {
  return {.rank = rank,
          .made = 8,
          .done = 7,
          .age_ms = age_ms,
          .driven = true,
          .call = 7,
          .called = "barrier()",
          .peers = std::move(peers),
          .waits = "rank x has sent 0 bytes"};
}

// Each rank is a process.
Diagnosis look_at(std::vector<Entry> entries, u32 ranks, std::vector<Process> silent = {}) {
  Survey survey{.members = {}, .entries = std::move(entries), .silent = std::move(silent)};
  for (Process p = 0; p < ranks; ++p) survey.members.push_back(p);
  return diagnose(survey, [](Process p) { return "process " + std::to_string(100 + p); });
}

TEST(Diagnose, NothingWhereNothingIsWrong) {
  EXPECT_EQ(look_at({}, 2).kind, Diagnosis::nothing);
  const Entry idle{.made = 7, .done = 7, .age_ms = 99999};
  Entry other = idle;
  other.rank = 1;
  EXPECT_EQ(look_at({idle, other}, 2).kind, Diagnosis::nothing);
}

TEST(Diagnose, TheFewestWhoCalledSomethingElse) {
  auto entries = std::vector{waiting(0, {1}), waiting(1, {0}), waiting(2, {0})};
  entries[1].called = "broadcast(count 1, int32, root 0)";
  const Diagnosis found = look_at(entries, 3);
  EXPECT_EQ(found.kind, Diagnosis::mismatch);
  EXPECT_EQ(found.code, Code::mismatch);
  EXPECT_EQ(
      found.text.find("call 7 is broadcast(count 1, int32, root 0) on rank 1 but barrier() on "
                      "ranks 0, 2"),
      0u)
      << found.text;
  entries[1].call = 6;  // another call: no contradiction
  EXPECT_NE(look_at(entries, 3).kind, Diagnosis::mismatch);
}

TEST(Diagnose, WhoDoesNotAnswer) {
  const Diagnosis found = look_at({waiting(0, {1}), waiting(2, {1})}, 3, {1});
  EXPECT_EQ(found.kind, Diagnosis::silent);
  EXPECT_EQ(found.text.find("rank 1 is missed of call 7 (barrier()): process 101 does not answer"),
            0u)
      << found.text;
}

// Who says himself that he has not come is known to be the cause; who is slow to answer is not.
TEST(Diagnose, WhoNeverArrivedBeforeWhoDoesNotAnswer) {
  const Entry late{.rank = 2, .made = 7, .done = 7, .age_ms = 12000};
  const Diagnosis found = look_at({waiting(0, {1}), late}, 3, {1});
  EXPECT_EQ(found.kind, Diagnosis::never_arrived);
  EXPECT_EQ(found.text.find("rank 2 never arrived"), 0u) << found.text;
}

TEST(Diagnose, WhoIsWellAndHasDestroyedTheCommunicator) {
  const Diagnosis found = look_at({waiting(0, {1}), waiting(2, {1})}, 3);
  EXPECT_EQ(found.kind, Diagnosis::gone);
  EXPECT_EQ(found.text.find("rank 1 is not in call 7 (barrier()), and will not come"), 0u)
      << found.text;
}

TEST(Diagnose, WhoNeverArrivedOrLeftItAlone) {
  Entry late{.rank = 1, .made = 7, .done = 7, .age_ms = 12000};
  Diagnosis found = look_at({waiting(0, {1}), late}, 2);
  EXPECT_EQ(found.kind, Diagnosis::never_arrived);
  EXPECT_EQ(found.text.find("rank 1 never arrived in call 7 (barrier()): alive, and computing or "
                            "stuck outside the library for 12.0 s"),
            0u)
      << found.text;
  late.made = 8;  // it started, and waits nowhere
  found = look_at({waiting(0, {1}), late}, 2);
  EXPECT_EQ(found.kind, Diagnosis::not_driven);
  EXPECT_EQ(found.text.find("rank 1 has started call 7"), 0u) << found.text;
}

TEST(Diagnose, ASlowPeerAndASilentPath) {
  Diagnosis found = look_at({waiting(0, {1}, 20), waiting(1, {0}, 30)}, 2);
  EXPECT_EQ(found.kind, Diagnosis::slow);
  found = look_at({waiting(0, {2}), waiting(1, {0}), waiting(2, {0})}, 3);
  EXPECT_EQ(found.kind, Diagnosis::path_silent);
  EXPECT_EQ(found.text.find("the path between ranks 0 and 2 is silent in call 7"), 0u)
      << found.text;
}

}  // namespace
}  // namespace weft::control
