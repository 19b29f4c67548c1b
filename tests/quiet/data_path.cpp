// From the fourth call on, a collective does not allocate, lock or write, on any transport.
//
// malloc and its kin, pthread_mutex_lock and write are interposed for the whole process. Ranks are
// forked processes where shared memory is tested, threads elsewhere, so that each transport is used
// as in earnest.
#include "tests/conformance/quiet.hpp"
#include "tests/ranks/api/processes.hpp"
#include "tests/ranks/api/ranks.hpp"

namespace weft::testing {
namespace {

constexpr int repeats = 30;

// What one rank does; true if it was quiet and right.
bool quiet_rank(int rank, int ranks, weft_comm_t comm, std::size_t count) {
  std::vector<float> in(count * std::size_t(ranks), float(rank + 1)), out(in.size());
  const float half = 0.5;
  weft_op_t scaled = weft_sum;
  weft_operation_t planned = nullptr;
  if (weft_op_create_premul_sum(&scaled, &half, weft_float32, comm) != weft_ok ||
      weft_all_reduce_init(in.data(), out.data(), count, weft_float32, weft_sum, comm, nullptr,
                           &planned) != weft_ok)
    return false;
  const auto calls = [&] {
    bool good = weft_all_reduce(in.data(), out.data(), count, weft_float32, weft_sum, comm,
                                nullptr) == weft_ok;
    good &= count == 0 || out[count - 1] == float(ranks * (ranks + 1) / 2);
    good &= weft_reduce_scatter(in.data(), out.data(), count, weft_float32, weft_max, comm,
                                nullptr) == weft_ok;
    good &= weft_all_gather(in.data(), out.data(), count, weft_float32, comm, nullptr) == weft_ok;
    good &= weft_broadcast(in.data(), out.data(), count, weft_float32, 0, comm, nullptr) == weft_ok;
    // Elements that are changed on their way, and a call that was planned before.
    good &= weft_all_reduce(in.data(), out.data(), count, weft_bfloat16, weft_avg_wide, comm,
                            nullptr) == weft_ok;
    good &= weft_all_reduce(in.data(), out.data(), count, weft_float32, scaled, comm, nullptr) ==
            weft_ok;
    weft_request_t request = nullptr;
    good &= weft_operation_start(planned, &request) == weft_ok && weft_wait(&request, 0) == weft_ok;
    return good && weft_barrier(comm, nullptr) == weft_ok;
  };
  bool good = true;
  for (int i = 0; i < 3; ++i) good &= calls();
  // The others may still be in their third call; nobody leaves this one before they are in it.
  good &= weft_barrier(comm, nullptr) == weft_ok;
  const quiet::Watch watch;
  for (int i = 0; i < repeats; ++i) good &= calls();
  const quiet::Calls seen = watch.calls();
  // Nor may this rank make a noise while the others are still counting.
  good &= weft_barrier(comm, nullptr) == weft_ok;
  if (seen != quiet::Calls{})
    std::fprintf(stderr, "rank %d, count %zu: %lu allocations, %lu locks, %lu writes\n", rank,
                 count, seen.allocations, seen.locks, seen.writes);
  good &= weft_operation_free(planned) == weft_ok;
  return good && seen == quiet::Calls{};
}

class Quiet : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    if (const char* reason = quiet::unavailable()) GTEST_SKIP() << reason;
  }
};

TEST_P(Quiet, ThreadsOfOneProcess) {
  run_ranks(3, {},
            [](int rank, weft_comm_t comm) { EXPECT_TRUE(quiet_rank(rank, 3, comm, GetParam())); });
}

TEST_P(Quiet, NodesOverTcp) {
  run_ranks(4, {.nodes = nodes("aabb")},
            [](int rank, weft_comm_t comm) { EXPECT_TRUE(quiet_rank(rank, 4, comm, GetParam())); });
}

TEST_P(Quiet, AThreadOfTheLibrary) {
  run_ranks(2, {.nodes = nodes("ab"), .progress_thread = 1},
            [](int rank, weft_comm_t comm) { EXPECT_TRUE(quiet_rank(rank, 2, comm, GetParam())); });
}

TEST_P(Quiet, ProcessesOverSharedMemory) {
  constexpr int ranks = 3;
  const auto outcomes = fork_ranks(ranks, {}, [](int rank, weft_comm_t comm) {
    weft_comm_info_t info = WEFT_COMM_INFO_INITIALIZER;
    const bool shm =
        weft_comm_info(comm, &info) == weft_ok && std::string(info.transport_in_node) == "shm";
    return shm && quiet_rank(rank, ranks, comm, GetParam());
  });
  EXPECT_EQ(outcomes, std::vector<int>(ranks, 0));
}

INSTANTIATE_TEST_SUITE_P(Counts, Quiet, ::testing::Values<std::size_t>(0, 1, 1000, 300007));

}  // namespace
}  // namespace weft::testing
