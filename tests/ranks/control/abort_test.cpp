// An abort ends everything within a second, whoever is where: threads in calls of several
// communicators, a thread of the library, a wait. And a path that swallows messages is named.
#include <array>
#include <chrono>

#include "tests/ranks/api/ranks.hpp"

namespace weft::testing {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class Aborts : public ::testing::TestWithParam<int> {};

TEST_P(Aborts, EndCallsOfSeveralCommunicatorsEachByItself) {
  run_ranks(3, {.nodes = nodes("aab"), .progress_thread = GetParam(), .destroy = false},
            [](int rank, weft_comm_t comm) {
              weft_comm_t other = nullptr, third = nullptr;
              ASSERT_EQ(weft_comm_dup(comm, &other, nullptr), weft_ok);
              ASSERT_EQ(weft_comm_dup(comm, &third, nullptr), weft_ok);
              std::vector<std::thread> threads;
              if (rank != 2)  // rank 2 makes none of these calls
                for (weft_comm_t each : {comm, other})
                  threads.emplace_back([each] {
                    EXPECT_EQ(weft_barrier(each, nullptr), weft_aborted) << weft_last_error();
                    EXPECT_NE(std::string(weft_last_error()).find("called weft_comm_abort"),
                              std::string::npos)
                        << weft_last_error();
                  });
              std::this_thread::sleep_for(100ms);
              const auto began = Clock::now();
              if (rank == 0) { EXPECT_EQ(weft_comm_abort(comm), weft_ok); }
              if (rank == 1) { EXPECT_EQ(weft_comm_abort(other), weft_ok); }
              for (std::thread& thread : threads) thread.join();
              EXPECT_LT(Clock::now() - began, 2s);
              float x = 1, y = 0;  // the third is as good as before
              EXPECT_EQ(weft_all_reduce(&x, &y, 1, weft_float32, weft_sum, third, nullptr), weft_ok)
                  << weft_last_error();
              EXPECT_EQ(y, 3);
              EXPECT_EQ(weft_comm_destroy(third), weft_ok) << weft_last_error();
              const auto left = Clock::now();
              EXPECT_EQ(weft_comm_destroy(other), weft_ok);
              EXPECT_LT(Clock::now() - left, 3s);
            });
}
INSTANTIATE_TEST_SUITE_P(Progress, Aborts, ::testing::Values(0, 1));

// The text of an error arrives whole, also where it is longer than a notice of the data path.
TEST(Verdicts, AreNotCutShort) {
  run_ranks(2, {.timeout_seconds = 20}, [&](int rank, weft_comm_t comm) {
    weft_op_t op = weft_sum;
    float x = 1, y = 0;
    const float half = 0.5F;
    ASSERT_EQ(weft_op_create_premul_sum(&op, &half, weft_float32, comm), weft_ok);
    EXPECT_EQ(weft_all_reduce(&x, &y, 1, weft_float32, rank == 0 ? op : weft_sum, comm, nullptr),
              weft_mismatch);
    const std::string text = weft_last_error();
    EXPECT_TRUE(text.ends_with("the same calls in the same order")) << text;
  });
}

class Silent : public ::testing::TestWithParam<const char*> {};

TEST_P(Silent, PathIsNamedByAllRanks) {
  ::setenv("WEFT_FAULT", "tcp:silence,rank=2,peer=0,operation=3", 1);
  std::array<std::string, 3> heard;
  run_ranks(
      3, {.nodes = nodes("abc"), .timeout_seconds = 3, .algorithm = GetParam(), .destroy = false},
      [&](int rank, weft_comm_t comm) {
        std::vector<float> in(1000, 1), out(1000);
        weft_result_t result = weft_ok;
        for (int i = 0; i < 8 && result == weft_ok; ++i)
          result =
              weft_all_reduce(in.data(), out.data(), 1000, weft_float32, weft_sum, comm, nullptr);
        EXPECT_EQ(result, weft_timed_out);
        heard[std::size_t(rank)] = std::string(weft_last_error()).substr(8);
      });
  ::unsetenv("WEFT_FAULT");
  for (const std::string& text : heard) {
    EXPECT_EQ(text, heard[0]);
    EXPECT_EQ(text.find("the path between ranks 0 and 2 is silent in call 3"), 0u) << text;
  }
}
INSTANTIATE_TEST_SUITE_P(Algorithms, Silent, ::testing::Values("", "ring"));

}  // namespace
}  // namespace weft::testing
