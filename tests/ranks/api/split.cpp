// Communicators split off another: colours, keys, errors of one rank, many at once.
#include <numeric>

#include "tests/ranks/api/ranks.hpp"

namespace weft::testing {
namespace {

int rank_of(weft_comm_t comm) {
  int rank = -1;
  EXPECT_EQ(weft_comm_rank(comm, &rank), weft_ok);
  return rank;
}
int size_of(weft_comm_t comm) {
  int size = -1;
  EXPECT_EQ(weft_comm_size(comm, &size), weft_ok);
  return size;
}

// Sums what its members put in.
int sum_over(weft_comm_t comm, int mine) {
  int sum = 0;
  EXPECT_EQ(weft_all_reduce(&mine, &sum, 1, weft_int32, weft_sum, comm, nullptr), weft_ok)
      << weft_last_error();
  return sum;
}

class Split : public ::testing::TestWithParam<const char*> {};

TEST_P(Split, ByColourOrdersByKeyThenRank) {
  const std::string letters = GetParam();
  const int ranks = int(letters.size());
  run_ranks(ranks, {.nodes = nodes(letters.c_str())}, [&](int rank, weft_comm_t comm) {
    const int color = rank % 2;
    weft_comm_t half = nullptr;
    ASSERT_EQ(weft_comm_split(comm, color, -rank, &half, nullptr), weft_ok) << weft_last_error();
    const int members = (ranks + 1 - color) / 2;
    EXPECT_EQ(size_of(half), members);
    EXPECT_EQ(rank_of(half), members - 1 - rank / 2);  // the keys turn the order round
    int want = 0;
    for (int r = color; r < ranks; r += 2) want += r;
    EXPECT_EQ(sum_over(half, rank), want);
    // Both are used side by side, and one of them outlives the other.
    EXPECT_EQ(sum_over(comm, 1), ranks);
    weft_comm_t copy = nullptr;
    ASSERT_EQ(weft_comm_dup(half, &copy, nullptr), weft_ok) << weft_last_error();
    EXPECT_EQ(weft_comm_destroy(half), weft_ok) << weft_last_error();
    EXPECT_EQ(rank_of(copy), members - 1 - rank / 2);
    EXPECT_EQ(sum_over(copy, 1), members);
    EXPECT_EQ(weft_comm_destroy(copy), weft_ok) << weft_last_error();
  });
}

INSTANTIATE_TEST_SUITE_P(Nodes, Split, ::testing::Values("aa", "aaaaa", "aabb", "abcab"));

TEST(Split, WithoutAColourJoinsNothing) {
  run_ranks(3, {}, [&](int rank, weft_comm_t comm) {
    weft_comm_t made = comm;
    ASSERT_EQ(weft_comm_split(comm, rank == 1 ? WEFT_NO_COLOR : 7, 0, &made, nullptr), weft_ok);
    EXPECT_EQ(made == nullptr, rank == 1);
    if (made) { EXPECT_EQ(sum_over(made, 1), 2); }
    EXPECT_EQ(weft_comm_destroy(made), weft_ok);
  });
}

TEST(Split, AnErrorOfOneRankIsOneOfItsColourAlone) {
  run_ranks(4, {}, [&](int rank, weft_comm_t comm) {
    weft_config_t config = WEFT_CONFIG_INITIALIZER;
    if (rank == 2) config.order = "sideways";
    weft_comm_t made = nullptr;
    const weft_result_t result = weft_comm_split(comm, rank % 2, 0, &made, &config);
    if (rank % 2) {
      EXPECT_EQ(result, weft_ok) << weft_last_error();
      EXPECT_EQ(sum_over(made, 1), 2);
    } else {
      EXPECT_NE(result, weft_ok);
      EXPECT_EQ(made, nullptr);
      const std::string text = weft_last_error();
      EXPECT_NE(text.find("WEFT_ORDER"), text.npos) << text;
    }
    EXPECT_EQ(weft_comm_destroy(made), weft_ok);
    EXPECT_EQ(sum_over(comm, 1), 4);  // the parent is as it was
  });
}

TEST(Split, AMistakeOfOneRankDoesNotLeaveTheOthersWaiting) {
  run_ranks(3, {}, [&](int rank, weft_comm_t comm) {
    weft_config_t config = WEFT_CONFIG_INITIALIZER;
    if (rank == 1) config.size = 3;
    weft_comm_t made = nullptr;
    const weft_result_t result = weft_comm_split(comm, 0, 0, &made, &config);
    EXPECT_EQ(result, rank == 1 ? weft_invalid_argument : weft_aborted);
    const std::string text = weft_last_error();
    EXPECT_NE(text.find("config.size is 3"), text.npos) << text;
    EXPECT_EQ(weft_comm_split(comm, rank == 2 ? -2 : 0, 0, &made, nullptr),
              rank == 2 ? weft_invalid_argument : weft_ok);
    EXPECT_EQ(weft_comm_destroy(made), weft_ok);
    EXPECT_EQ(sum_over(comm, 1), 3);
  });
}

TEST(Split, ManyAreUsedSideBySideFromThreadsOfTheirOwn) {
  run_ranks(3, {.nodes = nodes("aab")}, [&](int, weft_comm_t comm) {
    std::vector<weft_comm_t> copies(6);
    for (weft_comm_t& copy : copies) ASSERT_EQ(weft_comm_dup(comm, &copy, nullptr), weft_ok);
    std::vector<std::thread> threads;
    for (const weft_comm_t copy : copies)
      threads.emplace_back([copy] {
        for (int i = 0; i < 200; ++i) ASSERT_EQ(sum_over(copy, i), 3 * i);
      });
    for (std::thread& thread : threads) thread.join();
    for (const weft_comm_t copy : copies) EXPECT_EQ(weft_comm_destroy(copy), weft_ok);
  });
}

TEST(Split, RowsAndColumnsOfOneParentInOneGroup) {
  run_ranks(4, {}, [&](int rank, weft_comm_t comm) {
    weft_comm_t row = nullptr, column = nullptr;
    ASSERT_EQ(weft_group_start(), weft_ok);
    ASSERT_EQ(weft_comm_split(comm, rank / 2, 0, &row, nullptr), weft_ok);
    ASSERT_EQ(weft_comm_split(comm, rank % 2, 0, &column, nullptr), weft_ok);
    ASSERT_EQ(weft_group_end(), weft_ok) << weft_last_error();
    EXPECT_EQ(sum_over(row, rank), rank / 2 == 0 ? 0 + 1 : 2 + 3);
    EXPECT_EQ(sum_over(column, rank), rank % 2 == 0 ? 0 + 2 : 1 + 3);
    EXPECT_EQ(weft_comm_destroy(row), weft_ok);
    EXPECT_EQ(weft_comm_destroy(column), weft_ok);
  });
}

TEST(Split, WorksWhileAllRequestsAreTaken) {
  run_ranks(2, {}, [&](int rank, weft_comm_t comm) {
    std::vector<weft_request_t> requests(rank == 0 ? WEFT_MAX_IN_FLIGHT : 0);
    int x = 0;
    for (weft_request_t& request : requests)  // count 0: no peer is needed to end them
      ASSERT_EQ(weft_broadcast_start(&x, &x, 0, weft_int32, 0, comm, nullptr, &request), weft_ok);
    for (int i = 0; i < WEFT_MAX_IN_FLIGHT && rank == 1; ++i)
      ASSERT_EQ(weft_broadcast(&x, &x, 0, weft_int32, 0, comm, nullptr), weft_ok);
    weft_comm_t made = nullptr;
    EXPECT_EQ(weft_comm_dup(comm, &made, nullptr), weft_ok) << weft_last_error();
    for (weft_request_t& request : requests) EXPECT_EQ(weft_wait(&request, 0), weft_ok);
    EXPECT_EQ(sum_over(made, 1), 2);
    EXPECT_EQ(weft_comm_destroy(made), weft_ok);
  });
}

TEST(Split, BehindTheCallersBackKeepsTheParentBusy) {
  run_ranks(3, {.nodes = nodes("aab")}, [&](int rank, weft_comm_t comm) {
    weft_config_t config = WEFT_CONFIG_INITIALIZER;
    config.blocking = 0;
    for (int i = 0; i < 50; ++i) {
      weft_comm_t made = nullptr;
      ASSERT_EQ(weft_comm_split(comm, 0, -rank, &made, &config), weft_in_progress);
      int x = 1, y = 0;
      // Refused while the split is under way: whatever it says, nothing is started.
      if (state_of(made) == weft_in_progress) {
        const weft_result_t busy =
            weft_all_reduce(&x, nullptr, 1, weft_int32, weft_sum, comm, nullptr);
        ASSERT_EQ(busy, weft_invalid_argument);
      }
      ASSERT_EQ(settled(made), weft_ok) << weft_last_error();
      ASSERT_EQ(weft_all_reduce(&x, &y, 1, weft_int32, weft_sum, comm, nullptr), weft_ok)
          << weft_last_error();
      ASSERT_EQ(y, 3);
      int at = -1;
      ASSERT_EQ(weft_comm_rank(made, &at), weft_ok);
      ASSERT_EQ(at, 2 - rank);
      ASSERT_EQ(weft_comm_finalize(made), weft_in_progress);
      ASSERT_EQ(settled(made), weft_ok) << weft_last_error();
      ASSERT_EQ(weft_comm_destroy(made), weft_ok);
    }
  });
}

TEST(Split, GivenUpAndThenItsParentDestroyed) {
  for (int i = 0; i < 20; ++i)
    run_ranks(2, {.timeout_seconds = 10, .destroy = false}, [&](int, weft_comm_t comm) {
      weft_config_t config = WEFT_CONFIG_INITIALIZER;
      config.blocking = 0;
      weft_comm_t made = nullptr;
      ASSERT_EQ(weft_comm_split(comm, 0, 0, &made, &config), weft_in_progress);
      if (i % 2) { EXPECT_EQ(weft_comm_abort(made), weft_ok); }
      EXPECT_EQ(weft_comm_destroy(made), weft_ok);
    });
}

TEST(Split, OfRanksOfOneThreadHappensInAGroup) {
  weft_unique_id_t id;
  ASSERT_EQ(weft_get_unique_id(&id), weft_ok);
  weft_comm_t comms[3], pairs[3];
  ASSERT_EQ(weft_group_start(), weft_ok);
  for (int r = 0; r < 3; ++r) ASSERT_EQ(weft_comm_create(&comms[r], 3, r, &id, nullptr), weft_ok);
  ASSERT_EQ(weft_group_end(), weft_ok) << weft_last_error();
  ASSERT_EQ(weft_group_start(), weft_ok);
  for (int r = 0; r < 3; ++r)
    ASSERT_EQ(weft_comm_split(comms[r], r / 2, 0, &pairs[r], nullptr), weft_ok);
  ASSERT_EQ(weft_group_end(), weft_ok) << weft_last_error();
  for (int r = 0; r < 3; ++r) EXPECT_EQ(size_of(pairs[r]), r < 2 ? 2 : 1);
  ASSERT_EQ(weft_group_start(), weft_ok);
  for (int r = 0; r < 3; ++r) {
    EXPECT_EQ(weft_comm_destroy(pairs[r]), weft_ok);
    EXPECT_EQ(weft_comm_destroy(comms[r]), weft_ok);
  }
  ASSERT_EQ(weft_group_end(), weft_ok) << weft_last_error();
}

}  // namespace
}  // namespace weft::testing
