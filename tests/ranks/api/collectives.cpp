// The five collectives through the C API: awkward ranks, counts, nodes; in place; with handles and
// groups.
#include <numeric>

#include "tests/ranks/api/ranks.hpp"

namespace weft::testing {
namespace {

// Small whole numbers: every order of sums gives the same bits.
float value_of(int rank, std::size_t i) {
  return float(int(i * 7 + std::size_t(rank) * 13) % 101 - 50);
}

std::vector<float> vector_of(int rank, std::size_t count) {
  std::vector<float> v(count);
  for (std::size_t i = 0; i < count; ++i) v[i] = value_of(rank, i);
  return v;
}
float sum_of(int ranks, std::size_t i) {
  float sum = 0;
  for (int r = 0; r < ranks; ++r) sum += value_of(r, i);
  return sum;
}

void all_reduce(int rank, int ranks, std::size_t count, bool in_place, weft_comm_t comm) {
  auto in = vector_of(rank, count);
  std::vector<float> out(count, -1);
  float* const target = in_place ? in.data() : out.data();
  ASSERT_EQ(weft_all_reduce(in.data(), target, count, weft_float32, weft_sum, comm, nullptr),
            weft_ok)
      << weft_last_error();
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(target[i], sum_of(ranks, i))
        << "rank " << rank << " element " << i << " of " << count;
}

void reduce_scatter(int rank, int ranks, std::size_t count, bool in_place, weft_comm_t comm) {
  auto in = vector_of(rank, count * std::size_t(ranks));
  std::vector<float> out(count, -1);
  const std::size_t block = std::size_t(rank) * count;
  float* const target = in_place ? in.data() + block : out.data();
  ASSERT_EQ(weft_reduce_scatter(in.data(), target, count, weft_float32, weft_sum, comm, nullptr),
            weft_ok)
      << weft_last_error();
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(target[i], sum_of(ranks, block + i));
}

void all_gather(int rank, int ranks, std::size_t count, bool in_place, weft_comm_t comm) {
  const auto in = vector_of(rank, count);
  std::vector<float> out(count * std::size_t(ranks), -1);
  float* const mine = out.data() + std::size_t(rank) * count;
  if (in_place) std::copy(in.begin(), in.end(), mine);
  ASSERT_EQ(
      weft_all_gather(in_place ? mine : in.data(), out.data(), count, weft_float32, comm, nullptr),
      weft_ok)
      << weft_last_error();
  for (int r = 0; r < ranks; ++r)
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(out[std::size_t(r) * count + i], value_of(r, i));
}

void broadcast(int rank, int root, std::size_t count, bool in_place, weft_comm_t comm) {
  auto in = vector_of(rank, count);
  std::vector<float> out(count, -1);
  float* const target = in_place ? in.data() : out.data();
  ASSERT_EQ(weft_broadcast(in.data(), target, count, weft_float32, root, comm, nullptr), weft_ok)
      << weft_last_error();
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(target[i], value_of(root, i));
}

void everything(int rank, int ranks, weft_comm_t comm) {
  const std::size_t p = std::size_t(ranks);
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2}, p - 1, p, p + 1,
                                  std::size_t{1000}, std::size_t{100003}})
    for (const bool in_place : {false, true}) {
      all_reduce(rank, ranks, count, in_place, comm);
      reduce_scatter(rank, ranks, count, in_place, comm);
      all_gather(rank, ranks, count, in_place, comm);
      broadcast(rank, int(count) % ranks, count, in_place, comm);
      ASSERT_EQ(weft_barrier(comm, nullptr), weft_ok) << weft_last_error();
    }
}

class Ranks : public ::testing::TestWithParam<const char*> {};

TEST_P(Ranks, CollectivesGiveWhatTheyPromise) {
  const auto names = nodes(GetParam());
  const int ranks = int(names.size());
  run_ranks(ranks, {.nodes = names},
            [&](int rank, weft_comm_t comm) { everything(rank, ranks, comm); });
}

// Nodes talk over tcp, ranks of a node in process; the last places ranks round robin.
INSTANTIATE_TEST_SUITE_P(Nodes, Ranks,
                         ::testing::Values("a", "aa", "aaa", "ab", "aabb", "aaabb", "abbbbbbb",
                                           "aaabbbcc", "abab", "abcabca"));

TEST(Progress, AThreadOfTheLibraryDrives) {
  run_ranks(4, {.nodes = nodes("aabb"), .progress_thread = 1},
            [](int rank, weft_comm_t comm) { everything(rank, 4, comm); });
}

TEST(Handles, ManyOperationsAreInFlightTogether) {
  run_ranks(3, {.nodes = nodes("aab")}, [](int rank, weft_comm_t comm) {
    constexpr std::size_t count = 777, calls = 100;
    const auto in = vector_of(rank, count);
    std::vector<std::vector<float>> out(calls, std::vector<float>(count));
    std::vector<weft_request_t> requests(calls);
    for (std::size_t i = 0; i < calls; ++i)
      ASSERT_EQ(weft_all_reduce_start(in.data(), out[i].data(), count, weft_float32, weft_sum, comm,
                                      nullptr, &requests[i]),
                weft_ok);
    // Waiting out of order is allowed: the last first.
    for (std::size_t i = calls; i-- > 0;) {
      if (i % 2)
        while (weft_test(&requests[i]) == weft_in_progress) std::this_thread::yield();
      else
        ASSERT_EQ(weft_wait(&requests[i], 0), weft_ok) << weft_last_error();
      ASSERT_EQ(requests[i], nullptr);
      for (std::size_t k = 0; k < count; ++k) ASSERT_EQ(out[i][k], sum_of(3, k));
    }
  });
}

TEST(Plans, MoreShapesThanAreKept) {
  run_ranks(2, {}, [](int rank, weft_comm_t comm) {
    for (int round = 0; round < 2; ++round)
      for (std::size_t count = 1; count <= 700; ++count) all_reduce(rank, 2, count, false, comm);
  });
}

TEST(Handles, TooManyUnwaitedAreRefusedAndTheRestGoesOn) {
  run_ranks(2, {}, [](int, weft_comm_t comm) {
    std::vector<weft_request_t> requests(WEFT_MAX_IN_FLIGHT);
    for (auto& request : requests) ASSERT_EQ(weft_barrier_start(comm, nullptr, &request), weft_ok);
    weft_request_t one_more = nullptr;
    ASSERT_EQ(weft_barrier_start(comm, nullptr, &one_more), weft_invalid_argument);
    EXPECT_NE(std::string(weft_last_error()).find("have not been waited for"), std::string::npos);
    for (auto& request : requests) ASSERT_EQ(weft_wait(&request, 0), weft_ok);
    ASSERT_EQ(weft_barrier(comm, nullptr), weft_ok);
  });
}

// What has been waited for makes room, although an older operation is still under way.
TEST(Handles, AnOldOperationDoesNotHoldUpTheCountOfNewOnes) {
  run_ranks(2, {}, [](int rank, weft_comm_t comm) {
    float one = 1, sum = 0;
    ASSERT_EQ(weft_barrier(comm, nullptr), weft_ok);
    weft_request_t oldest;
    if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ASSERT_EQ(weft_all_reduce_start(&one, &sum, 1, weft_float32, weft_sum, comm, nullptr, &oldest),
              weft_ok);
    std::vector<weft_request_t> newer(WEFT_MAX_IN_FLIGHT - 1);
    for (auto& request : newer)
      ASSERT_EQ(weft_broadcast_start(&one, &sum, 0, weft_float32, 0, comm, nullptr, &request),
                weft_ok);
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_EQ(weft_wait(&newer[i], 0), weft_ok) << weft_last_error();
      ASSERT_EQ(weft_broadcast_start(&one, &sum, 0, weft_float32, 0, comm, nullptr, &newer[i]),
                weft_ok);
    }
    for (auto& request : newer) ASSERT_EQ(weft_wait(&request, 0), weft_ok) << weft_last_error();
    ASSERT_EQ(weft_wait(&oldest, 0), weft_ok) << weft_last_error();
  });
}

TEST(Groups, OneThreadDrivesAllRanks) {
  constexpr int ranks = 5;
  constexpr std::size_t count = 5000;
  weft_unique_id_t id;
  ASSERT_EQ(weft_get_unique_id(&id), weft_ok);
  std::vector<weft_comm_t> comms(ranks);
  ASSERT_EQ(weft_group_start(), weft_ok);
  for (int r = 0; r < ranks; ++r)
    ASSERT_EQ(weft_comm_create(&comms[std::size_t(r)], ranks, r, &id, nullptr), weft_ok);
  ASSERT_EQ(weft_group_end(), weft_ok) << weft_last_error();
  std::vector<std::vector<float>> buffers;
  for (int r = 0; r < ranks; ++r) buffers.push_back(vector_of(r, count));
  ASSERT_EQ(weft_group_start(), weft_ok);
  for (std::size_t r = 0; r < ranks; ++r)
    ASSERT_EQ(weft_all_reduce(buffers[r].data(), buffers[r].data(), count, weft_float32, weft_sum,
                              comms[r], nullptr),
              weft_ok);
  ASSERT_EQ(weft_group_end(), weft_ok) << weft_last_error();
  for (const auto& buffer : buffers)
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(buffer[i], sum_of(ranks, i));
  ASSERT_EQ(weft_group_start(), weft_ok);
  for (weft_comm_t comm : comms) ASSERT_EQ(weft_comm_destroy(comm), weft_ok);
  ASSERT_EQ(weft_group_end(), weft_ok) << weft_last_error();
}

TEST(Communicators, TwoSideBySideInTheSameThreads) {
  weft_unique_id_t other;
  ASSERT_EQ(weft_get_unique_id(&other), weft_ok);
  run_ranks(3, {}, [&](int rank, weft_comm_t comm) {
    weft_comm_t second = nullptr;  // with the ranks turned round
    ASSERT_EQ(weft_comm_create(&second, 3, 2 - rank, &other, nullptr), weft_ok)
        << weft_last_error();
    weft_request_t a, b;
    std::vector<int32_t> in(1000, rank), out_a(1000), out_b(1000);
    ASSERT_EQ(weft_all_reduce_start(in.data(), out_a.data(), 1000, weft_int32, weft_max, comm,
                                    nullptr, &a),
              weft_ok);
    ASSERT_EQ(
        weft_broadcast_start(in.data(), out_b.data(), 1000, weft_int32, 0, second, nullptr, &b),
        weft_ok);
    // Each moves while the other is waited for only if its peers drive it: test both in turn.
    weft_result_t done_a = weft_in_progress, done_b = weft_in_progress;
    while (done_a == weft_in_progress || done_b == weft_in_progress) {
      if (done_a == weft_in_progress) done_a = weft_test(&a);
      if (done_b == weft_in_progress) done_b = weft_test(&b);
    }
    ASSERT_EQ(done_a, weft_ok);
    ASSERT_EQ(done_b, weft_ok);
    EXPECT_EQ(out_a, std::vector<int32_t>(1000, 2));
    EXPECT_EQ(out_b, std::vector<int32_t>(1000, 2));
    ASSERT_EQ(weft_comm_destroy(second), weft_ok) << weft_last_error();
  });
}

}  // namespace
}  // namespace weft::testing
