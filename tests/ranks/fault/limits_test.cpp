// A job whose processes may open few files: fewer sockets, the same results.
#include <sys/resource.h>

#include <algorithm>

#include "tests/ranks/api/processes.hpp"

namespace weft::testing {
namespace {

// In a process of its own, since a hard limit that was lowered stays so.
int run_with_files(rlim_t soft, rlim_t hard) {
  const pid_t child = ::fork();
  if (child != 0) {
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
  }
  const rlimit files{soft, hard};
  bool good = ::setrlimit(RLIMIT_NOFILE, &files) == 0;
  ::setenv("WEFT_TRANSPORT", "tcp", 1);
  ::setenv("WEFT_TCP_SOCKETS", "32", 1);
  const auto outcomes = fork_ranks(3, {}, [](int, weft_comm_t comm) {
    std::vector<float> data(100'000, 1);
    return weft_all_reduce(data.data(), data.data(), data.size(), weft_float32, weft_sum, comm,
                           nullptr) == weft_ok &&
           std::all_of(data.begin(), data.end(), [](float x) { return x == 3; });
  });
  good = good && std::all_of(outcomes.begin(), outcomes.end(), [](int o) { return o == 0; });
  ::_exit(good ? 0 : 1);
}

TEST(Limits, ASoftLimitIsRaised) { EXPECT_EQ(run_with_files(40, 1024), 0); }
TEST(Limits, FewerFilesAreFewerSockets) { EXPECT_EQ(run_with_files(100, 100), 0); }

}  // namespace
}  // namespace weft::testing
