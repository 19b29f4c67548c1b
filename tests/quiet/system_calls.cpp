// How many system calls a small all-reduce between two nodes takes: one that sends and one that
// reads, for what a peer needs now carries along what it can wait for.
//
// The calls by which the tcp transport moves bytes are interposed. Waiting is not counted: how
// often a rank looks before something has come is a matter of time.
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>

#include "tests/conformance/quiet.hpp"
#include "tests/ranks/api/processes.hpp"
#include "tests/ranks/api/ranks.hpp"

namespace {
std::atomic<long> sends, reads;  // that moved bytes

ssize_t counted(std::atomic<long>& calls, ssize_t moved) {
  calls += moved > 0;
  return moved;
}
}  // namespace

#define WEFT_INTERPOSER extern "C" [[gnu::visibility("default")]]

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
WEFT_INTERPOSER ssize_t send(int fd, const void* bytes, std::size_t size, int flags) {
  return counted(sends, ::syscall(SYS_sendto, fd, bytes, size, flags, nullptr, 0));
}
WEFT_INTERPOSER ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  return counted(sends, ::syscall(SYS_sendmsg, fd, message, flags));
}
WEFT_INTERPOSER ssize_t recv(int fd, void* bytes, std::size_t size, int flags) {
  return counted(reads, ::syscall(SYS_recvfrom, fd, bytes, size, flags, nullptr, nullptr));
}
WEFT_INTERPOSER ssize_t readv(int fd, const iovec* parts, int count) {
  return counted(reads, ::syscall(SYS_readv, fd, parts, count));
}
#endif

namespace weft::testing {
namespace {

constexpr int repeats = 500;

bool few_calls(int rank, weft_comm_t comm, std::size_t count) {
  std::vector<float> in(count, float(rank + 1)), out(count);
  const auto reduce = [&] {
    return weft_all_reduce(in.data(), out.data(), count, weft_float32, weft_sum, comm, nullptr) ==
               weft_ok &&
           out[count - 1] == 3;
  };
  bool good = true;
  for (int i = 0; i < 10; ++i) good &= reduce();
  const long sent = sends, read = reads;
  for (int i = 0; i < repeats; ++i) good &= reduce();
  const long more_sent = sends - sent, more_read = reads - read;
  // The peer's first message of these may have been read before, its next one too.
  const bool few = more_sent <= repeats && more_read <= repeats + 2;
  if (!few)
    std::fprintf(stderr, "rank %d, %zu elements: %ld sends and %ld reads in %d operations\n", rank,
                 count, more_sent, more_read, repeats);
  return good && few && more_sent >= repeats / 2;  // else nothing was counted
}

class SystemCalls : public ::testing::TestWithParam<std::size_t> {};

TEST_P(SystemCalls, OneSendAndOneReadForASmallAllReduce) {
  if (const char* reason = quiet::unavailable()) GTEST_SKIP() << reason;
  const auto outcomes = fork_ranks(
      2, nodes("ab"), [](int rank, weft_comm_t comm) { return few_calls(rank, comm, GetParam()); });
  EXPECT_EQ(outcomes, (std::vector<int>{0, 0}));
}

INSTANTIATE_TEST_SUITE_P(Counts, SystemCalls, ::testing::Values<std::size_t>(1, 100));

}  // namespace
}  // namespace weft::testing
