#include <gmock/gmock.h>

#include "bootstrap/invitation.hpp"
#include "ranks.hpp"

namespace weft::bootstrap::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

Deadline in_ms(int ms) { return Deadline::after(std::chrono::milliseconds(ms)); }

// Joins as numbers[i] of counts[i] on thread i.
std::vector<std::string> join_as(const std::vector<u32>& numbers, const std::vector<u32>& counts,
                                 Deadline deadline) {
  const auto id = create_unique_id();
  EXPECT_TRUE(id);
  return as_threads(static_cast<u32>(numbers.size()), [&](u32 i) -> Status {
    WEFT_TRY(join(*id, numbers[i], counts[i], deadline));
    return {};
  });
}

TEST(Mistakes, RanksThatDoNotComeAreNamedOnEveryRank) {
  const std::vector<u32> numbers{0, 1, 2, 4, 8};
  EXPECT_THAT(join_as(numbers, std::vector<u32>(5, 9), in_ms(500)),
              Each(AllOf(HasSubstr("ranks 3, 5-7 have not joined after 0."), HasSubstr(" s"))));
}

TEST(Mistakes, OneRankThatDoesNotComeIsNamed) {
  EXPECT_THAT(join_as({0, 2}, {3, 3}, in_ms(300)), Each(HasSubstr("rank 1 has not joined after")));
}

TEST(Mistakes, ADeadlineOfOneRankAloneEndsTheJobWithTheRootsSentence) {
  const auto id = create_unique_id();
  ASSERT_TRUE(id);
  const auto errors = as_threads(3, [&](u32 rank) -> Status {
    WEFT_TRY(join(*id, rank, 4, rank == 2 ? in_ms(300) : soon()));
    return {};
  });
  EXPECT_THAT(errors, Each(HasSubstr("rank 3 has not joined after")));
}

TEST(Mistakes, TwoRanksWithOneNumberAreAnErrorOnAllSides) {
  EXPECT_THAT(join_as({0, 1, 1, 2}, {4, 4, 4, 4}, soon()),
              Each(HasSubstr("two processes or threads joined as rank 1: one from")));
}

TEST(Mistakes, TwoRanksZeroAreAnErrorOnAllSides) {
  EXPECT_THAT(join_as({0, 0, 1}, {3, 3, 3}, soon()),
              Each(HasSubstr("two processes or threads joined as rank 0")));
}

TEST(Mistakes, DifferentCountsAreAnErrorOnAllSides) {
  const auto errors = join_as({0, 1, 2}, {3, 3, 4}, soon());
  EXPECT_THAT(errors, Each(AllOf(HasSubstr("says the job has"), HasSubstr("ranks"))));
}

TEST(Mistakes, ARankOutOfRangeIsAnErrorOnAllSides) {
  EXPECT_THAT(join_as({0, 1, 7}, {3, 3, 3}, soon()),
              Each(AllOf(HasSubstr("rank 7"), HasSubstr("out of range"))));
}

TEST(Mistakes, ARankOutOfRangeInTheProcessOfTheIdIsTold) {
  EXPECT_THAT(join_as({3}, {3}, soon()), Each(HasSubstr("rank 3 is out of range")));
}

TEST(Mistakes, AParentThatVanishedBeforeItsChildCameEndsTheJobForAll) {
  const auto id = create_unique_id();
  ASSERT_TRUE(id);
  const auto errors = as_threads(2, [&](u32 thread) -> Status {
    if (thread == 0) {
      WEFT_TRY(join(*id, 0, 4, soon()));
      return {};
    }
    // Ranks 1 and 2 find their places, 2 being the parent of the third to come, and are gone.
    const auto invitation = decode(*id);
    const Call root{invitation->root.addresses(), "the root", false};
    Counters counters;
    for (u32 rank = 1; rank <= 2; ++rank) {
      const Hello hello{.rank = rank,
                        .ranks = 4,
                        .instance = random_nonce(),
                        .contact = {1, invitation->root.ips}};
      WEFT_ASSIGN(const auto place, call(root, invitation->secret, hello, soon(), counters));
      if (place.answer.position != rank) return fail(Code::mismatch, "not in order");
    }
    WEFT_TRY(join(*id, 3, 4, soon()));
    return {};
  });
  EXPECT_THAT(errors, Each(HasSubstr("rank 2 joined and cannot be reached by rank 3")));
}

// Rank 7 waits for rank 6, which waits for rank 4, which has frozen; rank 7 complains first.
TEST(Mistakes, AFrozenParentIsNamedThoughItsGrandchildComplainsFirst) {
  const auto id = create_unique_id();
  ASSERT_TRUE(id);
  const auto invitation = decode(*id);
  const Call root{invitation->root.addresses(), "the root", false};
  std::vector<Hello> hellos;
  for (u32 rank = 0; rank < 8; ++rank)
    hellos.push_back({.rank = rank,
                      .ranks = 8,
                      .instance = random_nonce(),
                      .contact = {1, invitation->root.ips}});
  const auto ask = [&](u32 rank, Purpose purpose) {
    Counters counters;
    Hello hello = hellos[rank];
    hello.purpose = purpose;
    return call(root, invitation->secret, hello, soon(), counters);
  };
  const auto errors = as_threads(2, [&](u32 thread) -> Status {
    if (thread == 0) {
      WEFT_TRY(join(*id, 0, 8, soon()));
      return {};
    }
    for (u32 rank = 1; rank < 8; ++rank) {
      WEFT_ASSIGN(const auto place, ask(rank, Purpose::look_up));
      if (place.answer.position != rank) return fail(Code::mismatch, "not in order");
    }
    const auto told = as_threads(2, [&](u32 later) -> Status {
      if (later) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      WEFT_ASSIGN(const auto heard, ask(later ? 6 : 7, Purpose::complain));
      return fail(heard.answer.error);
    });
    EXPECT_EQ(told[0], told[1]);
    return fail(Code::remote_error, "{}", told[0]);
  });
  EXPECT_THAT(errors, Each(HasSubstr("rank 4 joined and cannot be reached by rank 6")));
}

// Rank 2, the parent of rank 3 in the tree, has joined; what it passes on of rank 3 nobody sees.
// Whether it or rank 3 is to blame, the roll call says.
class RollCall : public testing::TestWithParam<bool> {};

TEST_P(RollCall, TellsAFrozenRankFromOneBehindItThatDoesNotCome) {
  const bool is_there = GetParam();
  const auto id = create_unique_id();
  ASSERT_TRUE(id);
  const auto invitation = decode(*id);
  const Call root{invitation->root.addresses(), "the root", false};
  const auto ask = [&](u32 rank, Purpose purpose) {
    static const Nonce instances[] = {random_nonce(), random_nonce(), random_nonce(),
                                      random_nonce()};
    Counters counters;
    const Hello hello{.purpose = purpose,
                      .rank = rank,
                      .ranks = 4,
                      .instance = instances[rank],
                      .contact = {1, invitation->root.ips}};
    return call(root, invitation->secret, hello, soon(), counters);
  };
  const auto errors = as_threads(2, [&](u32 thread) -> Status {
    if (thread == 0) {
      WEFT_TRY(join(*id, 0, 4, in_ms(500)));
      return {};
    }
    for (const u32 rank : {1, 2, 3}) WEFT_TRY(ask(rank, Purpose::look_up));
    std::vector<Link> links;
    for (const u32 rank : {1, 2}) {
      WEFT_ASSIGN(auto adopted, ask(rank, Purpose::adopt));
      links.emplace_back(std::move(adopted.socket), 0, adopted.at);
      const u8 joining = 1;
      links.back().send(
          encode(FrameType::contribution, 0, Writer().number(rank).number(joining).get()));
    }
    for (u32 called = 0; !links[1].ended();) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      for (u32 i = 0; i < links.size(); ++i) {
        links[i].progress(0);
        while (const auto frame = links[i].next(0)) {
          if (frame->type == FrameType::failure)
            return fail(Code::remote_error, "{}", frame->payload.substr(1));
          if (frame->type != FrameType::roll_call) continue;
          ++called;
          if (is_there) links[i].send(encode(FrameType::present, 0, Writer().number(i + 1).get()));
        }
      }
      if (called > links.size()) return fail(Code::mismatch, "the roll was called twice");
    }
    return fail(Code::remote_error, "{}", links[1].reason());
  });
  EXPECT_THAT(errors, Each(HasSubstr(is_there ? "rank 3 has not joined after"
                                              : "rank 2 has joined and is not heard from after")));
}

INSTANTIATE_TEST_SUITE_P(Ranks, RollCall, testing::Bool(), [](const auto& each) {
  return each.param ? "ParentAnswers" : "ParentIsFrozen";
});

TEST(Mistakes, AnIdIsForOneJob) {
  const auto id = create_unique_id();
  ASSERT_TRUE(id);
  for (const char* expected : {"", "could not reach the root of the job"}) {
    const auto errors = as_threads(2, [&](u32 rank) -> Status {
      WEFT_TRY(join(*id, rank, 2, soon()));
      return {};
    });
    EXPECT_THAT(errors, Each(HasSubstr(expected)));
    EXPECT_EQ(errors == all_well(2), *expected == '\0');
  }
}

TEST(Mistakes, ASecondRankZeroOfAReservedIdIsFound) {
  const auto id = reserve_unique_id("127.0.0.1", fixed_port());
  ASSERT_TRUE(id);
  const auto errors = as_threads(3, [&](u32 thread) -> Status {
    WEFT_TRY(join(*id, thread / 2, 3, soon()));
    return {};
  });
  EXPECT_THAT(errors, Each(HasSubstr("two processes or threads joined as rank 0")));
}

TEST(Mistakes, ARankThatDoesNotCallIsNamed) {
  const auto id = create_unique_id();
  ASSERT_TRUE(id);
  const auto errors = as_threads(4, [&](u32 rank) -> Status {
    WEFT_ASSIGN(const auto job, join(*id, rank, 4, soon()));
    WEFT_TRY(job->exchange("", soon()));
    if (rank == 3) std::this_thread::sleep_for(std::chrono::seconds(1));
    WEFT_TRY(job->exchange("", in_ms(300)));
    return {};
  });
  // In the tree of arrival the late rank may have others behind it, who then name their parent.
  EXPECT_THAT(errors, Each(HasSubstr("rank 3")));
  EXPECT_THAT(errors, Each(HasSubstr("exchange (call 2 of this job)")));
}

TEST(Mistakes, DifferentCallsAreAMismatchOnAllRanks) {
  const auto id = create_unique_id();
  ASSERT_TRUE(id);
  const auto errors = as_threads(4, [&](u32 rank) -> Status {
    WEFT_ASSIGN(const auto job, join(*id, rank, 4, soon()));
    if (rank == 2) return job->barrier(soon());
    WEFT_TRY(job->exchange("", soon()));
    return {};
  });
  EXPECT_THAT(errors, Each(AllOf(HasSubstr("has called barrier"), HasSubstr("called exchange"))));
}

TEST(Mistakes, ARankThatLeavesEndsTheCallOfTheOthersAndAllLaterOnes) {
  const auto id = create_unique_id();
  ASSERT_TRUE(id);
  const auto errors = as_threads(5, [&](u32 rank) -> Status {
    WEFT_ASSIGN(const auto job, join(*id, rank, 5, soon()));
    if (rank == 3) return fail(Code::aborted, "rank 3 leaves");
    const auto first = job->exchange("", soon());
    const auto second = job->exchange("", soon());
    if (first || second) return {};
    if (second.error().text.find(first.error().text) == std::string::npos)
      return fail(Code::mismatch, "the second call says: {}", second.error().text);
    return fail(first.error());
  });
  EXPECT_THAT(errors, Each(HasSubstr("rank 3")));
}

}  // namespace
}  // namespace weft::bootstrap::test
