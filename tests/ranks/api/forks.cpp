// Processes that fork, as data loaders do, and processes that end without saying goodbye.
#include <csignal>
#include <cstdlib>

#include "tests/ranks/api/processes.hpp"

namespace weft::testing {
namespace {

// What a child of fork() came to: its exit status, or -1.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

bool sums_to_the_number_of_ranks(weft_comm_t comm, int ranks) {
  std::vector<float> in(100003, 1), out(in.size());
  return weft_all_reduce(in.data(), out.data(), in.size(), weft_float32, weft_sum, comm, nullptr) ==
             weft_ok &&
         out.front() == float(ranks) && out.back() == float(ranks);
}

// Number of the first call that was not refused as it should be; 0: all were.
int try_everything(weft_comm_t comm, weft_request_t request, weft_operation_t operation) {
  float x = 1, y = 0;
  weft_comm_t made = nullptr;
  weft_result_t state = weft_ok;
  const weft_result_t results[] = {
      weft_all_reduce(&x, &y, 1, weft_float32, weft_sum, comm, nullptr),
      weft_barrier(comm, nullptr),
      weft_comm_split(comm, 0, 0, &made, nullptr),
      weft_comm_finalize(comm),
      weft_comm_abort(comm),
      weft_comm_get_async_error(comm, &state),
      weft_test(&request),
      weft_wait(&request, 0),
      weft_operation_start(operation, &request),
      weft_operation_free(operation),
      weft_comm_destroy(comm)};
  int number = 0;
  for (const weft_result_t result : results) {
    ++number;
    if (result != weft_invalid_argument) return number;
  }
  return std::string(weft_last_error()).find("fork") == std::string::npos ? 99 : 0;
}

// Calls until one fails, which must be for the loss of a rank.
bool hears_that_a_rank_is_gone(weft_comm_t comm) {
  std::vector<float> in(100003, 1), out(in.size());
  weft_result_t result = weft_ok;
  while (result == weft_ok)
    result =
        weft_all_reduce(in.data(), out.data(), in.size(), weft_float32, weft_sum, comm, nullptr);
  return state_of(comm) == weft_remote_error;
}

class Forks : public ::testing::TestWithParam<const char*> {};

TEST_P(Forks, ChildIsRefusedAndTheParentIsUntouched) {
  std::vector<std::string> nodes;
  for (const char* at = GetParam(); *at; ++at) nodes.emplace_back(1, *at);
  const int ranks = int(nodes.size());
  const auto outcomes = fork_ranks(ranks, nodes, [&](int rank, weft_comm_t comm) {
    float x = 1, y = 0;
    weft_request_t request = nullptr;
    weft_operation_t operation = nullptr;
    bool good = sums_to_the_number_of_ranks(comm, ranks);
    good &= weft_all_reduce_init(&x, &y, 1, weft_float32, weft_sum, comm, nullptr, &operation) ==
            weft_ok;
    good &= weft_all_reduce_start(&x, &y, 1, weft_float32, weft_sum, comm, nullptr, &request) ==
            weft_ok;
    for (int loader = 0; loader < 3 && rank != 1; ++loader) {
      good &= in_child([&] { return try_everything(comm, request, operation); }) == 0;
      // A child may also make a communicator of its own, and end by exit().
      good &= in_child([&] {
                weft_unique_id_t id;
                weft_comm_t own = nullptr;
                if (weft_get_unique_id(&id) != weft_ok ||
                    weft_comm_create(&own, 1, 0, &id, nullptr) != weft_ok ||
                    !sums_to_the_number_of_ranks(own, 1) || weft_comm_destroy(own) != weft_ok)
                  return 1;
                std::exit(0);
              }) == 0;
    }
    good &= weft_wait(&request, 0) == weft_ok && y == float(ranks);
    good &= weft_operation_free(operation) == weft_ok;
    return good && sums_to_the_number_of_ranks(comm, ranks);
  });
  for (const int outcome : outcomes) EXPECT_EQ(outcome, 0);
}

// The child lives until the test lets go of a pipe, after everybody has heard of the death: hidden
// by it, the death would be found by the communicator's deadline only, which is another error.
TEST_P(Forks, ChildThatOutlivesAKilledParentDoesNotHideItsDeath) {
  std::vector<std::string> nodes;
  for (const char* at = GetParam(); *at; ++at) nodes.emplace_back(1, *at);
  const int ranks = int(nodes.size()), victim = ranks - 1;
  std::array<int, 2> leash{};
  ASSERT_EQ(::pipe(leash.data()), 0);
  const auto outcomes = fork_ranks(ranks, nodes, [&](int rank, weft_comm_t comm) {
    if (rank == victim) {
      if (!sums_to_the_number_of_ranks(comm, ranks)) return false;
      if (::fork() == 0) {
        ::close(leash[1]);
        char nothing;
        ::_exit(::read(leash[0], &nothing, 1) == 0 ? 0 : 1);
      }
      ::raise(SIGKILL);
    }
    return hears_that_a_rank_is_gone(comm);
  });
  for (const int end : leash) ::close(end);
  for (int rank = 0; rank < ranks; ++rank)
    EXPECT_EQ(outcomes[std::size_t(rank)], rank == victim ? SIGKILL : 0) << "rank " << rank;
}

// exit() runs destructors of statics and ends; peers are told as if the rank had died.
TEST_P(Forks, ExitWithoutDestroyDoesNotHang) {
  std::vector<std::string> nodes;
  for (const char* at = GetParam(); *at; ++at) nodes.emplace_back(1, *at);
  const int ranks = int(nodes.size());
  for (const char* progress : {"caller", "thread"}) {
    ::setenv("WEFT_PROGRESS", progress, 1);
    const auto outcomes = fork_ranks(ranks, nodes, [&](int rank, weft_comm_t comm) {
      // Never destroyed: exit() would free them under the operation.
      static auto* const input = new std::vector<float>(1000003, 1);
      static auto* const output = new std::vector<float>(input->size());
      auto &in = *input, &out = *output;
      // Everybody knows everybody; who dies later than this is missed at once.
      if (!sums_to_the_number_of_ranks(comm, ranks)) return hears_that_a_rank_is_gone(comm);
      weft_request_t request = nullptr;
      if (weft_all_reduce_start(in.data(), out.data(), in.size(), weft_float32, weft_sum, comm,
                                nullptr, &request) != weft_ok)
        return false;
      if (rank == 0) std::exit(7);  // in the middle of an operation
      (void)weft_wait(&request, 0);
      return hears_that_a_rank_is_gone(comm);
    });
    ::unsetenv("WEFT_PROGRESS");
    for (int rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(outcomes[std::size_t(rank)], rank == 0 ? 7 << 8 : 0) << "rank " << rank;
  }
}

// A destructor of a static that still calls: it meets a library whose threads have stopped. The
// call works, or hears that another rank has ended already; it neither hangs nor crashes.
struct LastCall {
  weft_comm_t comm = nullptr;
  ~LastCall() {
    if (!comm) return;
    const weft_result_t result = weft_barrier(comm, nullptr);
    ::_exit(result == weft_ok || result == weft_remote_error ? 5 : 6);
  }
};

TEST_P(Forks, StaticsMayCallWhileTheProcessEnds) {
  std::vector<std::string> nodes;
  for (const char* at = GetParam(); *at; ++at) nodes.emplace_back(1, *at);
  static LastCall last;  // before the library registers what it does at exit
  ::setenv("WEFT_PROGRESS", "thread", 1);
  const auto outcomes = fork_ranks(int(nodes.size()), nodes, [&](int, weft_comm_t comm) -> bool {
    last.comm = comm;
    std::exit(0);
  });
  ::unsetenv("WEFT_PROGRESS");
  for (const int outcome : outcomes) EXPECT_EQ(outcome, 5 << 8);
}

TEST_P(Forks, ChildDoesNotEndTheGroupOfItsParent) {
  std::vector<std::string> nodes;
  for (const char* at = GetParam(); *at; ++at) nodes.emplace_back(1, *at);
  const int ranks = int(nodes.size());
  const auto outcomes = fork_ranks(ranks, nodes, [&](int, weft_comm_t comm) {
    float x = 1, y = 0;
    bool good = weft_group_start() == weft_ok;
    good &= weft_all_reduce(&x, &y, 1, weft_float32, weft_sum, comm, nullptr) == weft_ok;
    good &= in_child([&] { return weft_group_end() == weft_invalid_argument ? 0 : 1; }) == 0;
    good &= weft_group_end() == weft_ok && y == float(ranks);
    return good;
  });
  for (const int outcome : outcomes) EXPECT_EQ(outcome, 0);
}

INSTANTIATE_TEST_SUITE_P(Nodes, Forks, ::testing::Values("aaa", "ab", "aabb"));

}  // namespace
}  // namespace weft::testing
