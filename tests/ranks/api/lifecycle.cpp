// From before a communicator is made until after it has been left: non-blocking, finalize, abort,
// callbacks, planned operations.
#include <atomic>
#include <chrono>

#include "tests/ranks/api/ranks.hpp"

namespace weft::testing {
namespace {

using namespace std::chrono_literals;

TEST(NonBlocking, CommunicatorIsMadeAndFinalizedBehindTheCallersBack) {
  weft_unique_id_t id;
  ASSERT_EQ(weft_get_unique_id(&id), weft_ok);
  weft_config_t config = WEFT_CONFIG_INITIALIZER;
  config.blocking = 0;
  weft_comm_t first = nullptr, second = nullptr;
  // One thread has both ranks: each call must return before the other is made.
  ASSERT_EQ(weft_comm_create(&first, 2, 0, &id, &config), weft_in_progress) << weft_last_error();
  float x = 1, y = 0;
  EXPECT_EQ(state_of(first), weft_in_progress);
  EXPECT_EQ(weft_all_reduce(&x, &y, 1, weft_float32, weft_sum, first, nullptr),
            weft_invalid_argument);
  ASSERT_EQ(weft_comm_create(&second, 2, 1, &id, &config), weft_in_progress);
  ASSERT_EQ(settled(first), weft_ok) << weft_last_error();
  ASSERT_EQ(settled(second), weft_ok) << weft_last_error();
  weft_request_t requests[2];
  float sums[2] = {};
  ASSERT_EQ(
      weft_all_reduce_start(&x, &sums[0], 1, weft_float32, weft_sum, first, nullptr, &requests[0]),
      weft_ok);
  ASSERT_EQ(
      weft_all_reduce_start(&x, &sums[1], 1, weft_float32, weft_sum, second, nullptr, &requests[1]),
      weft_ok);
  for (bool done = false; !done;) {
    done = true;
    for (weft_request_t& request : requests)
      if (request && weft_test(&request) == weft_in_progress) done = false;
  }
  EXPECT_EQ(sums[0], 2);
  EXPECT_EQ(sums[1], 2);
  ASSERT_EQ(weft_comm_finalize(first), weft_in_progress);
  ASSERT_EQ(weft_comm_finalize(second), weft_in_progress);
  EXPECT_EQ(settled(first), weft_ok) << weft_last_error();
  EXPECT_EQ(settled(second), weft_ok) << weft_last_error();
  EXPECT_EQ(weft_barrier(first, nullptr), weft_invalid_argument);
  int rank = -1;
  EXPECT_EQ(weft_comm_rank(second, &rank), weft_ok);
  EXPECT_EQ(rank, 1);
  EXPECT_EQ(weft_comm_destroy(first), weft_ok);
  EXPECT_EQ(weft_comm_destroy(second), weft_ok);
}

TEST(NonBlocking, ErrorOfMakingIsTheState) {
  weft_unique_id_t id;
  ASSERT_EQ(weft_get_unique_id(&id), weft_ok);
  weft_config_t config = WEFT_CONFIG_INITIALIZER;
  config.blocking = 0;
  config.timeout_seconds = 0.3;
  weft_comm_t alone = nullptr;
  ASSERT_EQ(weft_comm_create(&alone, 2, 0, &id, &config), weft_in_progress);
  EXPECT_EQ(settled(alone), weft_timed_out);
  EXPECT_NE(std::string(weft_last_error()).find("rank"), std::string::npos) << weft_last_error();
  EXPECT_EQ(weft_barrier(alone, nullptr), weft_timed_out);
  EXPECT_EQ(weft_comm_destroy(alone), weft_ok);
}

TEST(NonBlocking, AbortDoesNotWaitForWhatIsBeingMade) {
  weft_unique_id_t id;
  ASSERT_EQ(weft_get_unique_id(&id), weft_ok);
  weft_config_t config = WEFT_CONFIG_INITIALIZER;
  config.blocking = 0;
  config.timeout_seconds = 3;
  weft_comm_t alone = nullptr;
  ASSERT_EQ(weft_comm_create(&alone, 2, 0, &id, &config), weft_in_progress);
  EXPECT_EQ(weft_comm_abort(alone), weft_ok);
  EXPECT_EQ(state_of(alone), weft_aborted);
  EXPECT_EQ(weft_comm_destroy(alone), weft_ok);
}

TEST(Finalize, EndsWhatIsUnderWayAndThenDestroyIsLocal) {
  for (const int progress_thread : {0, 1})
    run_ranks(3, {.nodes = nodes("aab"), .progress_thread = progress_thread},
              [&](int rank, weft_comm_t comm) {
                std::vector<float> in(100003, 1), out(in.size());
                weft_request_t request = nullptr;
                ASSERT_EQ(weft_all_reduce_start(in.data(), out.data(), in.size(), weft_float32,
                                                weft_sum, comm, nullptr, &request),
                          weft_ok);
                ASSERT_EQ(weft_comm_finalize(comm), weft_ok) << weft_last_error();
                EXPECT_EQ(weft_wait(&request, 0), weft_ok);
                EXPECT_EQ(out.back(), 3);
                EXPECT_EQ(weft_comm_finalize(comm), weft_invalid_argument);
                // Nobody else is needed any more.
                if (rank == 2) std::this_thread::sleep_for(200ms);
              });
}

TEST(NonBlocking, DestroyGivesUpWhatIsBeingMade) {
  weft_unique_id_t id;
  ASSERT_EQ(weft_get_unique_id(&id), weft_ok);
  weft_config_t config = WEFT_CONFIG_INITIALIZER;
  config.blocking = 0;
  config.timeout_seconds = 20;
  weft_comm_t first = nullptr, second = nullptr;
  ASSERT_EQ(weft_comm_create(&first, 2, 0, &id, &config), weft_in_progress);
  EXPECT_EQ(weft_comm_destroy(first), weft_ok);
  // Had it waited for the end of the creation, nobody would be there to be joined any more.
  config.blocking = 1;
  EXPECT_EQ(weft_comm_create(&second, 2, 1, &id, &config), weft_ok) << weft_last_error();
  EXPECT_EQ(weft_comm_destroy(second), weft_ok);
}

TEST(Finalize, WaitsForEveryRank) {
  for (const int progress_thread : {0, 1}) {
    std::atomic<int> came{0};
    run_ranks(4, {.nodes = nodes("aabb"), .progress_thread = progress_thread},
              [&](int rank, weft_comm_t comm) {
                float x = 1;
                ASSERT_EQ(weft_broadcast(&x, &x, 1, weft_float32, 0, comm, nullptr), weft_ok);
                if (rank == 3) std::this_thread::sleep_for(500ms);
                ++came;
                ASSERT_EQ(weft_comm_finalize(comm), weft_ok) << weft_last_error();
                EXPECT_EQ(came, 4);
              });
  }
}

TEST(Finalize, OfRanksOfOneThreadHappensInAGroup) {
  weft_unique_id_t id;
  ASSERT_EQ(weft_get_unique_id(&id), weft_ok);
  weft_comm_t comms[3];
  ASSERT_EQ(weft_group_start(), weft_ok);
  for (int r = 0; r < 3; ++r) ASSERT_EQ(weft_comm_create(&comms[r], 3, r, &id, nullptr), weft_ok);
  ASSERT_EQ(weft_group_end(), weft_ok) << weft_last_error();
  ASSERT_EQ(weft_group_start(), weft_ok);
  for (weft_comm_t comm : comms) ASSERT_EQ(weft_comm_finalize(comm), weft_ok);
  ASSERT_EQ(weft_group_end(), weft_ok) << weft_last_error();
  for (weft_comm_t comm : comms) EXPECT_EQ(weft_comm_destroy(comm), weft_ok);
}

TEST(Aborted, IsKnownAtOnceAndHeardByAllRanks) {
  std::atomic<int> passed{0};
  run_ranks(3, {.nodes = nodes("aab"), .destroy = false}, [&](int rank, weft_comm_t comm) {
    ASSERT_EQ(weft_barrier(comm, nullptr), weft_ok);
    ++passed;
    while (passed < 3) std::this_thread::yield();
    if (rank == 2) {
      std::this_thread::sleep_for(100ms);  // the others may still be in the barrier
      EXPECT_EQ(weft_comm_abort(comm), weft_ok);
      EXPECT_EQ(state_of(comm), weft_aborted);
      std::this_thread::sleep_for(300ms);
      return;  // destroys it, which tells the others
    }
    EXPECT_EQ(weft_barrier(comm, nullptr), weft_aborted) << weft_last_error();
  });
}

// Also by calls that need nobody, or that have all they need: they end where they are made.
TEST(Aborted, HoldsForCallsThatWaitForNobody) {
  for (const int ranks : {1, 2})
    run_ranks(ranks, {.destroy = false}, [&](int rank, weft_comm_t comm) {
      float values[4] = {1, 2, 3, 4};
      const auto broadcast = [&] {
        return weft_broadcast(values, values, 4, weft_float32, 0, comm, nullptr);
      };
      for (int i = 0; i < 3; ++i) ASSERT_EQ(broadcast(), weft_ok) << weft_last_error();
      ASSERT_EQ(weft_barrier(comm, nullptr), weft_ok);
      if (rank == 1) return std::this_thread::sleep_for(300ms);
      ASSERT_EQ(broadcast(), weft_ok);
      EXPECT_EQ(weft_comm_abort(comm), weft_ok);
      EXPECT_EQ(broadcast(), weft_aborted);
      EXPECT_EQ(broadcast(), weft_aborted);
    });
}

class Abort : public ::testing::TestWithParam<int> {};

TEST_P(Abort, FromAnotherThreadEndsAWaitOnAllRanks) {
  run_ranks(3, {.nodes = nodes("aab"), .progress_thread = GetParam(), .destroy = false},
            [&](int rank, weft_comm_t comm) {
              if (rank == 2) {  // never makes the call that the others wait in
                std::this_thread::sleep_for(100ms);
                weft_request_t request = nullptr;
                ASSERT_EQ(weft_barrier_start(comm, nullptr, &request), weft_ok);
                std::thread other([comm] {
                  std::this_thread::sleep_for(100ms);
                  EXPECT_EQ(weft_comm_abort(comm), weft_ok);
                });
                float x = 0;
                EXPECT_EQ(weft_wait(&request, 30), weft_aborted) << weft_last_error();
                EXPECT_EQ(weft_broadcast(&x, &x, 1, weft_float32, 0, comm, nullptr), weft_aborted);
                other.join();
              } else if (rank == 1) {
                EXPECT_EQ(weft_barrier(comm, nullptr), weft_aborted);
                const std::string text = weft_last_error();
                EXPECT_NE(text.find("rank 2"), text.npos) << text;
                EXPECT_NE(text.find("weft_comm_abort"), text.npos) << text;
              } else {
                for (int i = 0; i < 3000 && state_of(comm) != weft_aborted; ++i)
                  std::this_thread::sleep_for(10ms);  // busy elsewhere, and hears of it
                EXPECT_EQ(weft_barrier(comm, nullptr), weft_aborted);
              }
              EXPECT_EQ(state_of(comm), weft_aborted);
            });
}

INSTANTIATE_TEST_SUITE_P(ProgressThread, Abort, ::testing::Values(0, 1));

// ---- callbacks

struct Heard {
  std::atomic<int> times{0};
  std::atomic<int> result{-1};
  static void call(void* self, weft_result_t result) {
    auto& heard = *static_cast<Heard*>(self);
    heard.result = int(result);
    ++heard.times;
  }
};

TEST(Callback, IsCalledOnceWhenTheOperationEnds) {
  for (const int progress_thread : {0, 1})
    run_ranks(2, {.progress_thread = progress_thread}, [&](int rank, weft_comm_t comm) {
      for (int i = 0; i < 300; ++i) {
        float x = 1, y = 0;
        Heard heard;
        weft_request_t request = nullptr;
        if (rank) std::this_thread::yield();
        ASSERT_EQ(weft_all_reduce_start(&x, &y, 1, weft_float32, weft_sum, comm, nullptr, &request),
                  weft_ok);
        if (i % 3 == 0) std::this_thread::yield();
        ASSERT_EQ(weft_request_on_completion(request, Heard::call, &heard), weft_ok);
        EXPECT_EQ(weft_request_on_completion(request, Heard::call, &heard), weft_invalid_argument);
        ASSERT_EQ(weft_wait(&request, 0), weft_ok);
        ASSERT_EQ(heard.times, 1);
        ASSERT_EQ(heard.result, weft_ok);
        ASSERT_EQ(y, 2);
      }
    });
}

TEST(Callback, HearsOfAnError) {
  run_ranks(2, {.destroy = false}, [&](int rank, weft_comm_t comm) {
    if (rank == 1) return;
    Heard heard;
    weft_request_t request = nullptr;
    ASSERT_EQ(weft_barrier_start(comm, nullptr, &request), weft_ok);
    ASSERT_EQ(weft_request_on_completion(request, Heard::call, &heard), weft_ok);
    const weft_result_t result = weft_wait(&request, 0.2);
    EXPECT_NE(result, weft_ok);
    EXPECT_EQ(heard.times, 1);
    EXPECT_EQ(heard.result, int(result));
  });
}

// ---- planned operations

void add_all(const void* left, const void* right, void* result, size_t count, weft_datatype_t,
             void* context) {
  for (size_t i = 0; i < count; ++i)
    static_cast<int*>(result)[i] = static_cast<const int*>(left)[i] +
                                   static_cast<const int*>(right)[i] + *static_cast<int*>(context);
}

TEST(Planned, OperationKeepsItsOperator) {
  run_ranks(3, {}, [&](int, weft_comm_t comm) {
    int zero = 0, hundred = 100, x = 1, y = 0;
    weft_op_t first = weft_sum, second = weft_sum;
    weft_operation_t sum = nullptr;
    ASSERT_EQ(weft_op_create(&first, add_all, &zero, 1, comm), weft_ok);
    ASSERT_EQ(weft_all_reduce_init(&x, &y, 1, weft_int32, first, comm, nullptr, &sum), weft_ok);
    ASSERT_EQ(weft_op_destroy(first, comm), weft_ok);
    ASSERT_EQ(weft_op_create(&second, add_all, &hundred, 0, comm), weft_ok);
    weft_request_t request = nullptr;
    ASSERT_EQ(weft_operation_start(sum, &request), weft_ok);
    ASSERT_EQ(weft_wait(&request, 0), weft_ok);
    EXPECT_EQ(y, 3);
    EXPECT_EQ(weft_operation_free(sum), weft_ok);
    EXPECT_EQ(weft_op_destroy(second, comm), weft_ok);
  });
}

TEST(Planned, OperationIsNotStartedOnceItsCommunicatorWasFinalized) {
  run_ranks(2, {}, [&](int, weft_comm_t comm) {
    int x = 1, y = 0;
    weft_operation_t sum = nullptr;
    weft_request_t request = nullptr;
    weft_op_t op = weft_sum;
    weft_memory_t registration = nullptr;
    ASSERT_EQ(weft_op_create_premul_sum(&op, &x, weft_int32, comm), weft_ok);
    ASSERT_EQ(weft_mem_register(comm, &x, sizeof x, &registration), weft_ok);
    ASSERT_EQ(weft_all_reduce_init(&x, &y, 1, weft_int32, weft_sum, comm, nullptr, &sum), weft_ok);
    ASSERT_EQ(weft_comm_finalize(comm), weft_ok);
    EXPECT_EQ(weft_operation_start(sum, &request), weft_invalid_argument);
    // What was made for it is given back all the same.
    EXPECT_EQ(weft_operation_free(sum), weft_ok);
    EXPECT_EQ(weft_op_destroy(op, comm), weft_ok);
    EXPECT_EQ(weft_mem_deregister(comm, registration), weft_ok);
  });
}

TEST(Planned, OperationRunsAgainAndAgainOnItsBuffers) {
  for (const int progress_thread : {0, 1})
    run_ranks(3, {.nodes = nodes("aab"), .progress_thread = progress_thread},
              [&](int rank, weft_comm_t comm) {
                std::vector<float> in(1001), out(1001), gathered(3003);
                weft_operation_t sum = nullptr, gather = nullptr;
                ASSERT_EQ(weft_all_reduce_init(in.data(), out.data(), in.size(), weft_float32,
                                               weft_avg, comm, nullptr, &sum),
                          weft_ok)
                    << weft_last_error();
                ASSERT_EQ(weft_all_gather_init(out.data(), gathered.data(), out.size(),
                                               weft_float32, comm, nullptr, &gather),
                          weft_ok);
                for (int step = 0; step < 50; ++step) {
                  for (float& x : in) x = float(step * 3 + rank);
                  weft_request_t request = nullptr, again = nullptr;
                  ASSERT_EQ(weft_operation_start(sum, &request), weft_ok) << weft_last_error();
                  EXPECT_EQ(weft_operation_start(sum, &again), weft_invalid_argument);
                  EXPECT_EQ(weft_operation_free(sum), weft_invalid_argument);
                  ASSERT_EQ(weft_wait(&request, 0), weft_ok);
                  ASSERT_EQ(out.back(), float(step * 3 + 1));
                  ASSERT_EQ(weft_operation_start(gather, &request), weft_ok);
                  ASSERT_EQ(weft_wait(&request, 0), weft_ok);
                  ASSERT_EQ(gathered[1000], out[1000]);
                  ASSERT_EQ(gathered[3002], out[1000]);
                }
                EXPECT_EQ(weft_operation_free(sum), weft_ok);
                EXPECT_EQ(weft_operation_free(gather), weft_ok);
                EXPECT_EQ(weft_operation_free(nullptr), weft_ok);
              });
}

}  // namespace
}  // namespace weft::testing
