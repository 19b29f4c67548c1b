#include <gmock/gmock.h>

#include <random>

#include "ranks.hpp"

namespace weft::bootstrap::test {
namespace {

// What rank gives in round: 0 bytes to 64 KiB, different in every round and on every rank.
std::string blob_of(u32 rank, u32 round) {
  const std::size_t sizes[] = {0, 1, 7, 4096, 65535, 65536};
  std::string blob(sizes[(rank + round) % std::size(sizes)], '\0');
  std::minstd_rand random(rank * 1000 + round + 1);
  for (char& c : blob) c = static_cast<char>(random());
  return blob;
}

Status exchange_rounds(Bootstrap& job, u32 rounds) {
  for (u32 round = 0; round < rounds; ++round) {
    WEFT_ASSIGN(const auto blobs, job.exchange(blob_of(job.rank(), round), soon()));
    if (blobs.size() != job.ranks()) return fail(Code::remote_error, "{} blobs", blobs.size());
    for (u32 rank = 0; rank < job.ranks(); ++rank)
      if (blobs[rank] != blob_of(rank, round))
        return fail(Code::remote_error, "round {}: wrong blob of rank {}", round, rank);
    if (round % 2) WEFT_TRY(job.barrier(soon()));
  }
  return {};
}

class Exchange : public testing::TestWithParam<u32> {};

TEST_P(Exchange, GivesEveryRankAllBlobsAgainAndAgain) {
  const u32 ranks = GetParam();
  const auto id = create_unique_id();
  ASSERT_TRUE(id) << id.error().text;
  const auto errors = as_threads(ranks, [&](u32 rank) -> Status {
    WEFT_ASSIGN(const auto job, join(*id, rank, ranks, soon()));
    if (job->rank() != rank || job->ranks() != ranks) return fail(Code::mismatch, "wrong place");
    return exchange_rounds(*job, 6);
  });
  EXPECT_EQ(errors, all_well(ranks));
}

TEST_P(Exchange, WorksThroughAReservedIdWhicheverRankComesFirst) {
  const u32 ranks = GetParam();
  const auto id = reserve_unique_id(ranks % 2 ? "127.0.0.1" : "::1", fixed_port());
  ASSERT_TRUE(id) << id.error().text;
  const auto errors = as_threads(ranks, [&](u32 rank) -> Status {
    if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    WEFT_ASSIGN(const auto job, join(*id, rank, ranks, soon()));
    return exchange_rounds(*job, 2);
  });
  EXPECT_EQ(errors, all_well(ranks));
}

TEST_P(Exchange, LeavesTheSameSecretOnAllRanksAndAnotherInEachJob) {
  const u32 ranks = GetParam();
  std::vector<Secret::Bytes> first;
  for (int job_number = 0; job_number < 2; ++job_number) {
    const auto id = create_unique_id();
    ASSERT_TRUE(id);
    std::vector<Secret::Bytes> secrets(ranks);
    const auto errors = as_threads(ranks, [&](u32 rank) -> Status {
      WEFT_ASSIGN(const auto job, join(*id, rank, ranks, soon()));
      WEFT_TRY(job->exchange("", soon()));
      secrets[rank] = job->secret().bytes();
      return {};
    });
    EXPECT_EQ(errors, all_well(ranks));
    EXPECT_THAT(secrets, testing::Each(secrets[0]));
    if (job_number == 0) first = secrets;
    EXPECT_EQ(secrets == first, job_number == 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Exchange, testing::Values(1, 2, 3, 5, 8, 16));

TEST(ExchangeOnce, RunsSeveralJobsOfOneProcessAtOnce) {
  constexpr u32 jobs = 4, ranks = 3;
  std::vector<UniqueId> ids;
  for (u32 i = 0; i < jobs; ++i) {
    auto id = create_unique_id();
    ASSERT_TRUE(id);
    ids.push_back(*id);
  }
  const auto errors = as_threads(jobs * ranks, [&](u32 thread) -> Status {
    WEFT_ASSIGN(const auto job, join(ids[thread % jobs], thread / jobs, ranks, soon()));
    return exchange_rounds(*job, 2);
  });
  EXPECT_EQ(errors, all_well(jobs * ranks));
}

TEST(ExchangeOnce, RefusesABlobOfMoreThan64KiB) {
  const auto id = create_unique_id();
  ASSERT_TRUE(id);
  const auto job = join(*id, 0, 1, soon());
  ASSERT_TRUE(job) << job.error().text;
  const auto refused = (*job)->exchange(std::string(65537, 'x'), soon());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::invalid_argument);
  EXPECT_TRUE((*job)->exchange(std::string(65536, 'x'), soon()));
}

}  // namespace
}  // namespace weft::bootstrap::test
