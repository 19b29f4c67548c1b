// Ranks as processes: the count of connections, torchrun's variables, ranks that die.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mman.h>

#include "bootstrap/invitation.hpp"
#include "ranks.hpp"

namespace weft::bootstrap::test {
namespace {

using testing::Each;
using testing::HasSubstr;

u32 log2_of(u32 ranks) {
  u32 log = 0;
  while ((1u << log) < ranks) ++log;
  return log;
}

TEST(Processes, NoneOfSixtyFourOpensOrKeepsMoreThanLogarithmicallyManyConnections) {
  constexpr u32 ranks = 64;
  const auto id = create_unique_id();
  ASSERT_TRUE(id);
  auto* const counters =
      static_cast<Counters*>(::mmap(nullptr, ranks * sizeof(Counters), PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(counters, MAP_FAILED);
  const auto errors = as_processes(ranks, [&](u32 rank) -> Status {
    WEFT_ASSIGN(const auto job, join(*id, rank, ranks, soon()));
    for (int round = 0; round < 3; ++round) {
      WEFT_ASSIGN(const auto blobs, job->exchange(std::to_string(rank), soon()));
      for (u32 r = 0; r < ranks; ++r)
        if (blobs[r] != std::to_string(r)) return fail(Code::mismatch, "wrong blob of {}", r);
      WEFT_TRY(job->barrier(soon()));
    }
    counters[rank] = dynamic_cast<const TreeBootstrap&>(*job).counters();
    return {};
  });
  take_held_listener(*id, 0);
  EXPECT_EQ(errors, all_well(ranks));
  u32 opened = 0, accepted = 0;
  for (u32 rank = 0; rank < ranks; ++rank) {
    EXPECT_LE(counters[rank].opened, log2_of(ranks)) << "rank " << rank;
    EXPECT_LE(counters[rank].links_peak, log2_of(ranks) + 1) << "rank " << rank;
    opened += counters[rank].opened;
    accepted += counters[rank].accepted;
  }
  EXPECT_EQ(counters[0].opened, 0u);
  // A look-up and a parent for each; on a slow machine a second address may have been tried too.
  EXPECT_GE(opened, 2 * (ranks - 1));
  EXPECT_GE(accepted, 2 * (ranks - 1));
  ::munmap(counters, ranks * sizeof(Counters));
}

// As torchrun's agent starts a rank.
void set_torch_variables(u32 rank, u32 ranks, u16 port) {
  ::setenv("RANK", std::to_string(rank).c_str(), 1);
  ::setenv("WORLD_SIZE", std::to_string(ranks).c_str(), 1);
  ::setenv("MASTER_ADDR", "127.0.0.1", 1);
  ::setenv("MASTER_PORT", std::to_string(port).c_str(), 1);
}

Status talk(Bootstrap& job) {
  for (int round = 0; round < 2; ++round) {
    WEFT_ASSIGN(const auto blobs, job.exchange(std::to_string(job.rank()), soon()));
    for (u32 r = 0; r < job.ranks(); ++r)
      if (blobs[r] != std::to_string(r)) return fail(Code::mismatch, "wrong blob of {}", r);
  }
  return {};
}

TEST(Processes, MeetByTorchVariablesAgainAndAgain) {
  constexpr u32 ranks = 5;
  const u16 port = fixed_port();
  const auto errors = as_processes(ranks, [&](u32 rank) -> Status {
    set_torch_variables(rank, ranks, port);
    for (int job_number = 0; job_number < 3; ++job_number) {
      WEFT_ASSIGN(const auto job, from_environment(soon()));
      WEFT_TRY(talk(*job));
    }
    return {};
  });
  EXPECT_EQ(errors, all_well(ranks));
}

TEST(Processes, MeetByTorchVariablesBesideAStoreThatOwnsThePort) {
  constexpr u32 ranks = 4;
  const u16 port = fixed_port();
  const auto store = Listener::open({port});  // mute, as torch's store is before a request
  ASSERT_TRUE(store) << store.error().text;
  for (const bool says_so : {false, true}) {
    const auto errors = as_processes(ranks, [&](u32 rank) -> Status {
      set_torch_variables(rank, ranks, port);
      if (says_so) ::setenv("TORCHELASTIC_USE_AGENT_STORE", "True", 1);
      WEFT_ASSIGN(const auto job, from_environment(soon()));
      return talk(*job);
    });
    EXPECT_EQ(errors, all_well(ranks));
  }
}

TEST(Processes, AJobDoesNotTakeInRanksOfItsNeighbour) {
  // Two jobs whose port ranges overlap; their ranks start mixed.
  constexpr u32 ranks = 3;
  const u16 port = fixed_port();
  const auto errors = as_processes(2 * ranks, [&](u32 process) -> Status {
    set_torch_variables(process / 2, ranks, static_cast<u16>(port + process % 2));
    WEFT_ASSIGN(const auto job, from_environment(soon()));
    WEFT_ASSIGN(const auto blobs, job->exchange(std::to_string(process % 2), soon()));
    for (const std::string& blob : blobs)
      if (blob != blobs[job->rank()]) return fail(Code::mismatch, "a rank of the other job");
    return {};
  });
  EXPECT_EQ(errors, all_well(2 * ranks));
}

TEST(Processes, ALauncherWithoutARendezvousIsRefused) {
  const auto errors = as_processes(2, [&](u32 rank) -> Status {
    ::setenv("PMI_SIZE", "2", 1);
    ::setenv("PMI_RANK", std::to_string(rank).c_str(), 1);
    WEFT_TRY(from_environment(soon()));
    return {};
  });
  EXPECT_THAT(errors, Each(HasSubstr("PMI_SIZE=2")));
}

TEST(Processes, ARankThatIsKilledIsNamedByTheOthers) {
  constexpr u32 ranks = 6, victim = 4;
  const auto id = create_unique_id();
  ASSERT_TRUE(id);
  const auto errors = as_processes(ranks, [&](u32 rank) -> Status {
    WEFT_ASSIGN(const auto job, join(*id, rank, ranks, soon()));
    WEFT_TRY(job->exchange("", soon()));
    if (rank == victim) ::raise(SIGKILL);
    WEFT_TRY(job->exchange("", soon()));
    return {};
  });
  take_held_listener(*id, 0);
  for (u32 rank = 0; rank < ranks; ++rank)
    EXPECT_THAT(errors[rank], HasSubstr(rank == victim ? "did not end well" : "rank 4 (at"))
        << rank;
}

}  // namespace
}  // namespace weft::bootstrap::test
