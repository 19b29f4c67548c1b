// Who is in the way, from ledgers: the edge of a ring that everything else waits because of.
#include <gmock/gmock.h>

#include "control/diagnose.hpp"

namespace weft::control {
namespace {

using testing::HasSubstr;

Entry waiting(u32 rank, u32 peer, u64 moved) {
  return {.rank = rank,
          .made = 5,
          .done = 4,
          .age_ms = 4000,
          .driven = true,
          .call = 4,
          .called = "barrier()",
          .moved = moved,
          .peers = {peer},
          .waits = "a message"};
}
std::string found(const std::vector<Entry>& entries) {
  Survey survey{.members = {}, .entries = entries, .silent = {}};
  for (Process p = 0; p < entries.size(); ++p) survey.members.push_back(p);
  return diagnose(survey, [](Process) { return "a process"; }).text;
}

// A barrier in which the message of rank 1 to rank 2 was lost in its first round: the others stop a
// round later each, as they come to miss rank 2's part.
TEST(Rings, OfARingTheEdgeThatStoppedFirst) {
  EXPECT_THAT(found({waiting(0, 3, 3), waiting(1, 0, 4), waiting(2, 1, 0), waiting(3, 2, 1)}),
              HasSubstr("the path between ranks 1 and 2 is silent"));
}

// Who came less far than all of the ring waits because of it: its part is another.
TEST(Rings, WhoOnlyWaitsForTheRingIsNotOfIt) {
  EXPECT_THAT(found({waiting(0, 1, 0), waiting(1, 2, 5), waiting(2, 3, 2), waiting(3, 1, 7)}),
              HasSubstr("the path between ranks 2 and 3 is silent"));
}

TEST(Rings, AChainEndsWhereNobodyIsWaitedFor) {
  Entry root = waiting(2, 0, 9);
  root.peers.clear();
  EXPECT_THAT(found({waiting(0, 1, 0), waiting(1, 2, 0), root}),
              HasSubstr("the path between ranks 1 and 2 is silent"));
}

}  // namespace
}  // namespace weft::control
