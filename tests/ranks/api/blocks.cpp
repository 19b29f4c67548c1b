// Blocks of one size and of any size: to the root, from the root, from each to each; and scans.
//
// Ranks are threads, so large messages are lent. What processes give is compared with MPI in
// tests/mpi/differential.
#include <numeric>

#include "tests/ranks/api/ranks.hpp"

namespace weft::testing {
namespace {

bool says(const std::string& text) {
  return std::string(weft_last_error()).find(text) != std::string::npos;
}

// What rank `from` has for rank `to` at place i.
int value(int from, int to, std::size_t i) { return from * 1000003 + to * 1009 + int(i % 997); }

std::vector<int> row(int from, int to, std::size_t count) {
  std::vector<int> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = value(from, to, i);
  return all;
}

void append(std::vector<int>& to, const std::vector<int>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

struct Case {
  int ranks;
  const char* nodes;
  const char* algorithm;
};

class Blocks : public ::testing::TestWithParam<Case> {
 protected:
  void run(const std::function<void(int, int, weft_comm_t)>& body) const {
    const Case& c = GetParam();
    RankOptions options;
    if (c.nodes[0]) options.nodes = nodes(c.nodes);
    options.algorithm = c.algorithm;
    run_ranks(c.ranks, options, [&](int rank, weft_comm_t comm) { body(rank, c.ranks, comm); });
  }
};

TEST_P(Blocks, GoFromEachToEach) {
  run([](int rank, int ranks, weft_comm_t comm) {
    for (std::size_t count : {0u, 1u, 33u, 5000u}) {
      std::vector<int> in, want;
      for (int peer = 0; peer < ranks; ++peer) {
        append(in, row(rank, peer, count));
        append(want, row(peer, rank, count));
      }
      std::vector<int> out(in.size(), -1);
      ASSERT_EQ(weft_all_to_all(in.data(), out.data(), count, weft_int32, comm, nullptr), weft_ok)
          << weft_last_error();
      EXPECT_EQ(out, want);
      // The kept call again, and then in place, which it is not.
      std::fill(out.begin(), out.end(), -1);
      ASSERT_EQ(weft_all_to_all(in.data(), out.data(), count, weft_int32, comm, nullptr), weft_ok);
      EXPECT_EQ(out, want);
      ASSERT_EQ(weft_all_to_all(in.data(), in.data(), count, weft_int32, comm, nullptr), weft_ok);
      EXPECT_EQ(in, want);
    }
  });
}

TEST_P(Blocks, GoToTheRootAndBack) {
  run([](int rank, int ranks, weft_comm_t comm) {
    for (std::size_t count : {0u, 1u, 33u, 5000u})
      for (int root = 0; root < ranks; ++root) {
        const bool is_root = rank == root;
        std::vector<int> mine = row(rank, root, count), all, back(count, -1);
        for (int peer = 0; peer < ranks; ++peer) append(all, row(peer, root, count));
        std::vector<int> got(is_root ? all.size() : 0, -1);
        ASSERT_EQ(weft_gather(mine.data(), got.data(), count, weft_int32, root, comm, nullptr),
                  weft_ok)
            << weft_last_error();
        if (is_root) { EXPECT_EQ(got, all); }
        ASSERT_EQ(weft_scatter(got.data(), back.data(), count, weft_int32, root, comm, nullptr),
                  weft_ok)
            << weft_last_error();
        EXPECT_EQ(back, mine);
      }
  });
}

TEST_P(Blocks, AreSummedAtTheRootAndUpToEachRank) {
  run([](int rank, int ranks, weft_comm_t comm) {
    for (std::size_t count : {0u, 1u, 33u, 5000u}) {
      std::vector<int> mine = row(rank, 0, count), whole(count), upto(count), before(count);
      for (int peer = 0; peer < ranks; ++peer)
        for (std::size_t i = 0; i < count; ++i) {
          whole[i] += value(peer, 0, i);
          upto[i] += peer <= rank ? value(peer, 0, i) : 0;
          before[i] += peer < rank ? value(peer, 0, i) : 0;
        }
      std::vector<int> out(count, -1);
      const int root = ranks - 1;
      ASSERT_EQ(
          weft_reduce(mine.data(), out.data(), count, weft_int32, weft_sum, root, comm, nullptr),
          weft_ok)
          << weft_last_error();
      EXPECT_EQ(out, rank == root ? whole : std::vector<int>(count, -1));
      ASSERT_EQ(weft_scan(mine.data(), out.data(), count, weft_int32, weft_sum, comm, nullptr),
                weft_ok);
      EXPECT_EQ(out, upto);
      std::fill(out.begin(), out.end(), -1);
      ASSERT_EQ(weft_exscan(mine.data(), out.data(), count, weft_int32, weft_sum, comm, nullptr),
                weft_ok);
      EXPECT_EQ(out, rank ? before : std::vector<int>(count, -1));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Everywhere, Blocks,
                         ::testing::Values(Case{1, "", ""}, Case{3, "", ""}, Case{4, "aabb", ""},
                                           Case{3, "abb", ""}, Case{4, "abab", "direct/pairwise"},
                                           Case{5, "", "bruck"}, Case{4, "", "binomial"},
                                           Case{5, "aabbb", "binomial/binomial"}));

// Elements that go from one rank to another: none, a few, or more than a slot holds.
std::size_t elements(int from, int to) {
  const std::size_t sizes[] = {0, 7, 40000, 0, 1};
  return sizes[std::size_t(from * 3 + to) % 5];
}

TEST(Uneven, BlocksGoFromEachToEachAlsoWithGaps) {
  constexpr int ranks = 4;
  run_ranks(ranks, {.nodes = nodes("aabb")}, [](int rank, weft_comm_t comm) {
    for (int round = 0; round < 3; ++round) {
      std::vector<std::size_t> sends, sent_at, receives, received_at;
      std::vector<int> in, want;
      for (int peer = 0; peer < ranks; ++peer) {
        sends.push_back(elements(rank, peer));
        receives.push_back(elements(peer, rank));
        in.insert(in.end(), std::size_t(round), -7);  // gaps
        want.insert(want.end(), std::size_t(round), -1);
        sent_at.push_back(in.size());
        received_at.push_back(want.size());
        append(in, row(rank, peer, sends.back()));
        append(want, row(peer, rank, receives.back()));
      }
      std::vector<int> out(want.size(), -1);
      ASSERT_EQ(weft_all_to_allv(in.data(), sends.data(), sent_at.data(), out.data(),
                                 receives.data(), received_at.data(), weft_int32, comm, nullptr),
                weft_ok)
          << weft_last_error();
      EXPECT_EQ(out, want);
    }
  });
}

TEST(Uneven, MistakesAreRefusedBeforeAnythingStarts) {
  run_ranks(2, {}, [](int rank, weft_comm_t comm) {
    int in[8] = {}, out[8] = {};
    const std::size_t counts[] = {2, 3}, at[] = {0, 1}, apart[] = {0, 4};
    EXPECT_EQ(weft_all_gatherv(in, out, counts, at, weft_int32, comm, nullptr),
              weft_invalid_argument);
    EXPECT_TRUE(says("the blocks of ranks 0 and 1 share elements [1, 2)")) << weft_last_error();
    EXPECT_EQ(weft_all_gatherv(in, out, nullptr, at, weft_int32, comm, nullptr),
              weft_invalid_argument);
    EXPECT_TRUE(says("recvcounts is NULL"));
    EXPECT_EQ(weft_all_gatherv(out + 1, out, counts, apart, weft_int32, comm, nullptr),
              weft_invalid_argument);
    EXPECT_TRUE(says("nothing else may overlap")) << weft_last_error();
    if (rank == 0) {
      EXPECT_EQ(weft_gatherv(in, 1, out, counts, nullptr, weft_int32, 0, comm, nullptr),
                weft_invalid_argument);
      EXPECT_TRUE(says("its own block")) << weft_last_error();
    }
    const std::size_t huge[] = {~std::size_t{0}, 1};
    EXPECT_EQ(weft_all_gatherv(in, out, huge, nullptr, weft_int32, comm, nullptr),
              weft_invalid_argument);
    EXPECT_EQ(weft_gatherv(in, 1, out, counts, nullptr, weft_int32, 2, comm, nullptr),
              weft_invalid_argument);
    EXPECT_EQ(weft_scan(in, out, 1, weft_int32, weft_avg, comm, nullptr), weft_invalid_argument);
    EXPECT_TRUE(says("avg means nothing here"));
    EXPECT_EQ(weft_barrier(comm, nullptr), weft_ok) << weft_last_error();
  });
}

TEST(Uneven, CountsThatAllKnowAreCompared) {
  run_ranks(2, {.timeout_seconds = 20, .destroy = false}, [](int rank, weft_comm_t comm) {
    int in[8] = {}, out[16] = {};
    const std::size_t counts[] = {2, rank == 0 ? std::size_t{3} : 4};
    EXPECT_EQ(weft_all_gatherv(in, out, counts, nullptr, weft_int32, comm, nullptr), weft_mismatch);
    EXPECT_TRUE(says("all_gatherv(counts ")) << weft_last_error();
  });
}

TEST(Uneven, MoreThanIsDueIsAnErrorOnAllRanks) {
  run_ranks(2, {.timeout_seconds = 20, .destroy = false}, [](int rank, weft_comm_t comm) {
    int in[16] = {}, out[16] = {};
    // Rank 0 sends 5 elements where rank 1 expects 3.
    const std::size_t sends[] = {0, rank == 0 ? std::size_t{5} : 0},
                      receives[] = {rank == 1 ? std::size_t{3} : 0, 0};
    weft_result_t result =
        weft_all_to_allv(in, sends, nullptr, out, receives, nullptr, weft_int32, comm, nullptr);
    // What rank 0 had to send has left it: it may hear of the error in its next call.
    if (rank == 0 && result == weft_ok) result = weft_barrier(comm, nullptr);
    EXPECT_NE(result, weft_ok);
    EXPECT_NE(result, weft_timed_out);
    EXPECT_TRUE(says("the same count for a block")) << weft_last_error();
  });
}

}  // namespace
}  // namespace weft::testing
