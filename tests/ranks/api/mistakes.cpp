// What goes wrong is said: bad arguments at once, mismatched calls and missing ranks on every rank.
#include <cstring>
#include <limits>
#include <mutex>

#include "tests/ranks/api/ranks.hpp"

namespace weft::testing {
namespace {

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Arguments, AreCheckedBeforeAnythingStarts) {
  run_ranks(2, {}, [](int, weft_comm_t comm) {
    float x = 0;
    weft_datatype_t no_type;  // as a C caller can pass it
    weft_op_t no_op;
    const int outside = -1;
    std::memcpy(&no_type, &outside, sizeof no_type);
    std::memcpy(&no_op, &outside, sizeof no_op);
    EXPECT_EQ(weft_all_reduce(&x, nullptr, 1, weft_float32, weft_sum, comm, nullptr),
              weft_invalid_argument);
    EXPECT_TRUE(says(weft_last_error(), "recvbuff is NULL"));
    EXPECT_EQ(weft_all_reduce(nullptr, &x, 1, weft_float32, weft_sum, comm, nullptr),
              weft_invalid_argument);
    EXPECT_TRUE(says(weft_last_error(), "sendbuff is NULL"));
    EXPECT_EQ(weft_all_reduce(&x, &x, 1, no_type, weft_sum, comm, nullptr), weft_invalid_argument);
    EXPECT_EQ(weft_all_reduce(&x, &x, 1, weft_float32, no_op, comm, nullptr),
              weft_invalid_argument);
    EXPECT_EQ(weft_broadcast(&x, &x, 1, weft_float32, 2, comm, nullptr), weft_invalid_argument);
    EXPECT_TRUE(says(weft_last_error(), "root 2 is not one of the ranks 0 to 1"));
    EXPECT_EQ(weft_broadcast(&x, &x, 1, weft_float32, -1, comm, nullptr), weft_invalid_argument);
    EXPECT_EQ(weft_all_reduce(&x, &x, ~size_t{0} / 4, weft_float32, weft_sum, comm, nullptr),
              weft_invalid_argument);
    EXPECT_EQ(weft_all_reduce(&x, &x, 1, weft_float32, weft_sum, nullptr, nullptr),
              weft_invalid_argument);
    weft_request_t none = nullptr;
    EXPECT_EQ(weft_wait(&none, 1), weft_invalid_argument);
    for (const double seconds : {-1.0, -1e-9, std::numeric_limits<double>::quiet_NaN()}) {
      weft_request_t request = nullptr;
      ASSERT_EQ(weft_barrier_start(comm, nullptr, &request), weft_ok);
      EXPECT_EQ(weft_wait(&request, seconds), weft_invalid_argument);
      EXPECT_TRUE(says(weft_last_error(), "0 for the communicator's timeout, else above 0"));
      EXPECT_EQ(weft_wait(&request, 0), weft_ok);
    }
    EXPECT_EQ(weft_test(nullptr), weft_invalid_argument);
    // None of it was a call: the ranks still agree.
    EXPECT_EQ(weft_barrier(comm, nullptr), weft_ok) << weft_last_error();
    EXPECT_EQ(state_of(comm), weft_ok);
  });
  EXPECT_EQ(weft_group_end(), weft_invalid_argument);
  EXPECT_EQ(weft_comm_destroy(nullptr), weft_ok);
}

TEST(Arguments, OverlapIsRefusedUnlessItIsInPlace) {
  run_ranks(3, {}, [](int rank, weft_comm_t comm) {
    std::vector<float> room(64, 1);
    float* const at = room.data() + 20;
    const auto all_reduce = [&](float* in, float* out) {
      return weft_all_reduce(in, out, 4, weft_float32, weft_sum, comm, nullptr);
    };
    const auto reduce_scatter = [&](float* in, float* out) {
      return weft_reduce_scatter(in, out, 4, weft_float32, weft_sum, comm, nullptr);
    };
    const auto all_gather = [&](float* in, float* out) {
      return weft_all_gather(in, out, 4, weft_float32, comm, nullptr);
    };
    for (const int shift : {-4, -3, -1, 0, 1, 3, 4}) {
      const bool fits = shift == 0 || shift == -4 || shift == 4;
      EXPECT_EQ(all_reduce(at, at + shift), fits ? weft_ok : weft_invalid_argument) << shift;
    }
    // A block: its own place in the vector, or outside of it.
    for (int shift = -4; shift <= 12; ++shift) {
      if (shift == -4 || shift == 12 || shift == 4 * rank) continue;  // below, on all ranks
      EXPECT_EQ(reduce_scatter(at, at + shift), weft_invalid_argument) << shift;
      EXPECT_TRUE(says(weft_last_error(), "recvbuff == sendbuff + rank * recvcount"));
      EXPECT_EQ(all_gather(at + shift, at), weft_invalid_argument) << shift;
      EXPECT_TRUE(says(weft_last_error(), "sendbuff == recvbuff + rank * sendcount"));
    }
    for (const int shift : {-4, 12, 4 * rank}) {
      EXPECT_EQ(reduce_scatter(at, at + shift), weft_ok) << weft_last_error();
      EXPECT_EQ(all_gather(at + shift, at), weft_ok) << weft_last_error();
    }
    EXPECT_EQ(state_of(comm), weft_ok);
  });
}

// A call that differs from the last one in its buffers alone takes much from it, but not its
// checks.
TEST(Arguments, AreCheckedAlsoWhereOnlyBuffersChange) {
  run_ranks(2, {}, [](int rank, weft_comm_t comm) {
    std::vector<float> in(16), out(16);
    const auto all_reduce = [&](float* from, float* to) {
      return weft_all_reduce(from, to, 4, weft_float32, weft_sum, comm, nullptr);
    };
    for (int round = 0; round < 8; ++round) {
      float* const from = in.data() + round;
      float* const to = round % 2 ? from : out.data() + round;
      std::fill_n(from, 4, float(round + rank));
      ASSERT_EQ(all_reduce(from, to), weft_ok) << weft_last_error();
      for (int i = 0; i < 4; ++i) EXPECT_EQ(to[i], float(2 * round + 1)) << round;
      EXPECT_EQ(all_reduce(from, from + 1), weft_invalid_argument);
      EXPECT_EQ(all_reduce(nullptr, to), weft_invalid_argument);
    }
  });
}

TEST(Arguments, StreamNeedsABuildThatHasThem) {
  run_ranks(2, {}, [](int, weft_comm_t comm) {
    float x = 0;
    auto* const stream = reinterpret_cast<weft_stream_t>(&x);
    EXPECT_EQ(weft_all_reduce(&x, &x, 1, weft_float32, weft_sum, comm, stream), weft_unsupported);
    EXPECT_TRUE(says(weft_last_error(), "CUDA"));
    EXPECT_EQ(weft_barrier(comm, nullptr), weft_ok);
  });
}

class Mismatch : public ::testing::TestWithParam<const char*> {};

TEST_P(Mismatch, IsAnErrorOnAllRanksWithBothSignatures) {
  const auto names = nodes(GetParam());
  const int ranks = int(names.size());
  std::mutex mutex;
  std::vector<std::string> texts;
  run_ranks(ranks, {.nodes = names, .timeout_seconds = 20}, [&](int rank, weft_comm_t comm) {
    std::vector<float> in(100, 1), out(400);
    const weft_result_t result =
        rank == ranks - 1
            ? weft_all_reduce(in.data(), out.data(), 50, weft_float32, weft_sum, comm, nullptr)
            : weft_all_reduce(in.data(), out.data(), 100, weft_float32, weft_sum, comm, nullptr);
    EXPECT_EQ(result, weft_mismatch) << weft_last_error();
    const std::string text = weft_last_error();
    EXPECT_EQ(state_of(comm), weft_mismatch);
    EXPECT_EQ(weft_barrier(comm, nullptr), weft_aborted);  // poisoned
    const std::lock_guard lock(mutex);
    texts.push_back(text);
  });
  for (const std::string& text : texts) {
    EXPECT_TRUE(says(text, "all_reduce(count 100, float, sum)")) << text;
    EXPECT_TRUE(says(text, "all_reduce(count 50, float, sum)")) << text;
    EXPECT_TRUE(says(text, "call 0")) << text;
  }
}
INSTANTIATE_TEST_SUITE_P(Nodes, Mismatch, ::testing::Values("aa", "ab", "aaa", "aabb"));

TEST(Mismatch, OfCollectivesIsFoundToo) {
  run_ranks(2, {.timeout_seconds = 20}, [](int rank, weft_comm_t comm) {
    std::vector<float> in(100, 1), out(200);
    const weft_result_t result =
        rank ? weft_all_gather(in.data(), out.data(), 100, weft_float32, comm, nullptr)
             : weft_all_reduce(in.data(), out.data(), 100, weft_float32, weft_min, comm, nullptr);
    EXPECT_EQ(result, weft_mismatch);
    EXPECT_TRUE(says(weft_last_error(), "all_gather(count 100, float)")) << weft_last_error();
    EXPECT_TRUE(says(weft_last_error(), "all_reduce(count 100, float, min)")) << weft_last_error();
  });
}

// A rank that made fewer calls, none of which had a message, must not be served with another call's
// data.
TEST(Mismatch, OfCallsThatWereLeftOutIsFound) {
  run_ranks(2, {.timeout_seconds = 20}, [](int rank, weft_comm_t comm) {
    std::vector<float> in(1000, 1), out(1000);
    for (int i = 0; i < 4 && rank == 0; ++i)
      ASSERT_EQ(weft_all_reduce(in.data(), out.data(), 0, weft_float32, weft_sum, comm, nullptr),
                weft_ok)
          << weft_last_error();
    EXPECT_EQ(weft_all_reduce(in.data(), out.data(), 1000, weft_float32, weft_sum, comm, nullptr),
              weft_mismatch);
    EXPECT_TRUE(says(weft_last_error(), "all_reduce(count 1000, float, sum)")) << weft_last_error();
    EXPECT_TRUE(says(weft_last_error(), "all_reduce(count 0, float, sum)")) << weft_last_error();
  });
}

class Departed : public ::testing::TestWithParam<const char*> {};

// A rank that leaves while others still need it is named, long before their deadline.
TEST_P(Departed, RankIsNamed) {
  const auto names = nodes(GetParam());
  run_ranks(2, {.nodes = names, .timeout_seconds = 600, .destroy = false},
            [](int rank, weft_comm_t comm) {
              std::vector<float> in(100, 1), out(100);
              ASSERT_EQ(weft_all_reduce(in.data(), out.data(), 100, weft_float32, weft_sum, comm,
                                        nullptr),
                        weft_ok)
                  << weft_last_error();
              if (rank == 1) return;
              EXPECT_EQ(weft_all_reduce(in.data(), out.data(), 100, weft_float32, weft_sum, comm,
                                        nullptr),
                        weft_remote_error);
              EXPECT_TRUE(says(weft_last_error(),
                               "rank 1 destroyed its communicator, but all_reduce(count 100, "
                               "float, sum) (call 1) needs it"))
                  << weft_last_error();
              EXPECT_EQ(state_of(comm), weft_remote_error);
            });
}
INSTANTIATE_TEST_SUITE_P(Nodes, Departed, ::testing::Values("aa", "ab"));

class Missing : public ::testing::TestWithParam<const char*> {};

// One rank stays away: the others' waits end by the deadline, naming rank, call and peer.
TEST_P(Missing, RankIsNamedWhenTheDeadlinePasses) {
  const auto names = nodes(GetParam());
  const int ranks = int(names.size());
  run_ranks(ranks, {.nodes = names, .timeout_seconds = 1.5, .destroy = false},
            [&](int rank, weft_comm_t comm) {
              std::vector<float> in(1000, 1), out(1000);
              ASSERT_EQ(weft_all_reduce(in.data(), out.data(), 1000, weft_float32, weft_sum, comm,
                                        nullptr),
                        weft_ok)
                  << weft_last_error();
              if (rank == ranks - 1) {
                std::this_thread::sleep_for(std::chrono::seconds(3));
                return;
              }
              EXPECT_EQ(weft_all_reduce(in.data(), out.data(), 1000, weft_float32, weft_sum, comm,
                                        nullptr),
                        weft_timed_out);
              const std::string text = weft_last_error();
              EXPECT_TRUE(says(
                  text, "all_reduce(count 1000, float, sum) (call 1) has not ended after 1.5 s"))
                  << text;
              if (ranks == 2) { EXPECT_TRUE(says(text, "rank 1 ")) << text; }
            });
}
INSTANTIATE_TEST_SUITE_P(Nodes, Missing, ::testing::Values("aa", "ab", "aab"));

TEST(Deadline, OfOneWaitIsTheCallersOwn) {
  run_ranks(2, {.timeout_seconds = 60, .destroy = false}, [](int rank, weft_comm_t comm) {
    if (rank == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      return;
    }
    float x = 1, y = 0;
    weft_request_t request;
    ASSERT_EQ(weft_all_reduce_start(&x, &y, 1, weft_float32, weft_sum, comm, nullptr, &request),
              weft_ok);
    EXPECT_EQ(weft_wait(&request, 0.3), weft_timed_out);
    EXPECT_TRUE(says(weft_last_error(), "after 0.3 s")) << weft_last_error();
    EXPECT_TRUE(says(weft_last_error(), "rank 1 has not joined this call")) << weft_last_error();
    EXPECT_EQ(request, nullptr);
  });
}

TEST(Deadline, WithoutEndIsNotInThePast) {
  run_ranks(2, {}, [](int, weft_comm_t comm) {
    weft_request_t request;
    ASSERT_EQ(weft_barrier_start(comm, nullptr, &request), weft_ok);
    EXPECT_EQ(weft_wait(&request, std::numeric_limits<double>::infinity()), weft_ok)
        << weft_last_error();
  });
  weft_config_t config = WEFT_CONFIG_INITIALIZER;
  config.timeout_seconds = std::numeric_limits<double>::quiet_NaN();
  weft_comm_t comm = nullptr;
  EXPECT_EQ(weft_comm_create_from_environment(&comm, &config), weft_invalid_argument);
}

TEST(Manifest, DisagreementsNameTheKeyAndTheMinority) {
  weft_unique_id_t id;
  ASSERT_EQ(weft_get_unique_id(&id), weft_ok);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank)
    threads.emplace_back([&, rank] {
      weft_config_t config = WEFT_CONFIG_INITIALIZER;
      config.algorithm = rank == 1 ? "ring" : "two_shot";
      weft_comm_t comm = nullptr;
      EXPECT_EQ(weft_comm_create(&comm, 3, rank, &id, &config), weft_mismatch);
      EXPECT_TRUE(says(weft_last_error(), "WEFT_ALGORITHM differs: \"ring\" on rank 1"))
          << weft_last_error();
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace weft::testing
