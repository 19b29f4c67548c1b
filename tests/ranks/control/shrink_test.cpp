// Going on without ranks that were lost: who is left agrees on it, and sums are right again.
#include <sys/mman.h>

#include <csignal>

#include "tests/ranks/api/processes.hpp"
#include "tests/ranks/api/ranks.hpp"

namespace weft::testing {
namespace {

using namespace std::chrono_literals;

bool sums(weft_comm_t comm, int ranks, int bonus) {
  std::vector<float> in(100003, float(bonus)), out(in.size());
  return weft_all_reduce(in.data(), out.data(), in.size(), weft_float32, weft_sum, comm, nullptr) ==
             weft_ok &&
         out.front() == float(ranks * bonus) && out.back() == float(ranks * bonus);
}

// Calls until one fails.
void go_on_until_an_error(weft_comm_t comm) {
  float x = 1, y = 0;
  while (weft_all_reduce(&x, &y, 1, weft_float32, weft_sum, comm, nullptr) == weft_ok) continue;
}

class Shrink : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    void* const at = ::mmap(nullptr, sizeof *passed_ * 8, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(at, MAP_FAILED);
    passed_ = static_cast<std::atomic<int>*>(at);
  }
  void TearDown() override { ::munmap(passed_, sizeof *passed_ * 8); }
  // Dies once `ranks` have passed this point, so that none of them is still in a call before it.
  void pass(int point, int ranks, bool dies) {
    ++passed_[point];
    if (!dies) return;
    while (passed_[point] < ranks) std::this_thread::sleep_for(1ms);
    ::raise(SIGKILL);
  }
  std::atomic<int>* passed_ = nullptr;
};

TEST_P(Shrink, SurvivorsOfADeathGoOn) {
  const auto names = nodes(GetParam());
  const int ranks = int(names.size());
  for (const int victim : {0, ranks / 2, ranks - 1}) {
    passed_[0] = 0;
    const auto outcomes = fork_ranks(ranks, names, [&](int rank, weft_comm_t comm) {
      bool good = sums(comm, ranks, 1);
      pass(0, ranks, rank == victim);
      go_on_until_an_error(comm);
      weft_comm_t left = nullptr;
      int new_rank = -1, size = 0;
      good &= weft_comm_shrink(comm, &left, nullptr) == weft_ok;
      if (!good) std::fprintf(stderr, "rank %d: %s\n", rank, weft_last_error());
      good &= weft_comm_rank(left, &new_rank) == weft_ok && new_rank == rank - (rank > victim);
      good &= weft_comm_size(left, &size) == weft_ok && size == ranks - 1;
      good &= sums(left, size, 3) && weft_barrier(comm, nullptr) == weft_aborted;
      return good && weft_comm_destroy(left) == weft_ok;
    });
    for (int rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(outcomes[std::size_t(rank)], rank == victim ? SIGKILL : 0) << rank;
  }
}

// One dies in use, the next while the others agree, another in the communicator that is left.
class ShrinkOften : public Shrink {};
TEST_P(ShrinkOften, WithDeathsInTheMiddle) {
  const auto names = nodes(GetParam());
  const int ranks = int(names.size());
  const auto outcomes = fork_ranks(ranks, names, [&](int rank, weft_comm_t comm) {
    bool good = sums(comm, ranks, 1);
    pass(0, ranks, rank == 1);
    go_on_until_an_error(comm);
    if (rank == 0) ::raise(SIGKILL);
    weft_comm_t first = nullptr, second = nullptr;
    int size = 0;
    good &= weft_comm_shrink(comm, &first, nullptr) == weft_ok;
    good &= weft_comm_size(first, &size) == weft_ok;
    if (size == ranks - 1) {  // all were quicker than the second death
      go_on_until_an_error(first);
      weft_comm_t without = nullptr;
      good &= weft_comm_shrink(first, &without, nullptr) == weft_ok;
      good &= weft_comm_destroy(first) == weft_ok;
      first = without;
    }
    good &= sums(first, ranks - 2, 2);
    pass(1, ranks - 2, rank == ranks - 1);
    go_on_until_an_error(first);
    good &= weft_comm_shrink(first, &second, nullptr) == weft_ok && sums(second, ranks - 3, 5);
    if (!good) std::fprintf(stderr, "rank %d: %s\n", rank, weft_last_error());
    return weft_comm_destroy(second) == weft_ok && weft_comm_destroy(first) == weft_ok && good;
  });
  for (int rank = 0; rank < ranks; ++rank)
    EXPECT_EQ(outcomes[std::size_t(rank)],
              rank == 0 || rank == 1 || rank == ranks - 1 ? SIGKILL : 0)
        << rank;
}

TEST_P(Shrink, WithoutALossIsACopy) {
  const auto names = nodes(GetParam());
  run_ranks(int(names.size()), {.nodes = names}, [&](int rank, weft_comm_t comm) {
    weft_comm_t copy = nullptr;
    ASSERT_EQ(weft_comm_shrink(comm, &copy, nullptr), weft_ok) << weft_last_error();
    int same = -1;
    EXPECT_EQ(weft_comm_rank(copy, &same), weft_ok);
    EXPECT_EQ(same, rank);
    EXPECT_TRUE(sums(copy, int(names.size()), 1)) << weft_last_error();
    EXPECT_EQ(weft_comm_destroy(copy), weft_ok) << weft_last_error();
  });
}

// A rank that is alive and does not come is named when the others' deadline passes.
TEST(ShrinkLate, NamesWhoHasNotCalledIt) {
  std::atomic<int> told{0};
  run_ranks(4, {.nodes = nodes("aabb"), .timeout_seconds = 1.5, .destroy = false},
            [&](int rank, weft_comm_t comm) {
              if (rank == 2) {
                while (told < 3) std::this_thread::sleep_for(1ms);
                return;
              }
              weft_comm_t left = nullptr;
              EXPECT_EQ(weft_comm_shrink(comm, &left, nullptr), weft_timed_out);
              EXPECT_NE(std::string(weft_last_error()).find("rank 2 has not called it"),
                        std::string::npos)
                  << weft_last_error();
              ++told;
            });
}

TEST(ShrinkAlone, OfOneRankIsAnotherOne) {
  run_ranks(1, {}, [](int, weft_comm_t comm) {
    weft_comm_t copy = nullptr;
    ASSERT_EQ(weft_comm_shrink(comm, &copy, nullptr), weft_ok) << weft_last_error();
    EXPECT_TRUE(sums(copy, 1, 2));
    EXPECT_EQ(weft_comm_destroy(copy), weft_ok);
  });
}

INSTANTIATE_TEST_SUITE_P(Nodes, Shrink, ::testing::Values("aa", "ab", "aaaa", "aabb", "abacabaa"));

INSTANTIATE_TEST_SUITE_P(Nodes, ShrinkOften, ::testing::Values("aaaa", "aabb", "abacabaa"));

}  // namespace
}  // namespace weft::testing
