// What an idle communicator holds, as the kernel counts it.
#include <fstream>

#include "tests/ranks/api/processes.hpp"
#include "tests/sanitizer.hpp"

namespace weft::testing {
namespace {

// Anonymous pages, and this process's part of those it shares.
long held_kib() {
  std::ifstream file("/proc/self/smaps_rollup");
  long sum = 0;
  for (std::string word; file >> word;)
    if (long kib = 0; (word == "Pss_Anon:" || word == "Pss_Shmem:") && file >> kib) sum += kib;
  return sum;
}

class Footprint : public ::testing::Test {
 protected:
  void SetUp() override {
    if (under_sanitizer) GTEST_SKIP() << "a sanitizer keeps memory of its own";
    if (held_kib() == 0) GTEST_SKIP() << "no Pss_Anon in /proc/self/smaps_rollup";
  }
};

// After the first, which shows what the library keeps once, `copies` of it hold at most that each.
bool holds_at_most(long kib, weft_comm_t comm) {
  constexpr int copies = 8;
  std::array<weft_comm_t, copies + 1> made{};
  long before = 0;
  for (int i = 0; i <= copies; ++i) {
    if (weft_comm_dup(comm, &made[std::size_t(i)], nullptr) != weft_ok) return false;
    if (i == 0) before = held_kib();
  }
  const long held = held_kib() - before;
  if (held > copies * kib)
    std::fprintf(stderr, "%d idle communicators hold %ld KiB\n", copies, held);
  for (weft_comm_t each : made)
    if (weft_comm_destroy(each) != weft_ok) return false;
  return held <= copies * kib;
}

TEST_F(Footprint, OfOneRankIsNextToNothing) {
  const auto outcomes =
      fork_ranks(1, {}, [](int, weft_comm_t comm) { return holds_at_most(32, comm); });
  EXPECT_EQ(outcomes, std::vector<int>{0});
}

TEST_F(Footprint, OfANodeIsSmall) {
  const auto outcomes =
      fork_ranks(8, {}, [](int, weft_comm_t comm) { return holds_at_most(256, comm); });
  EXPECT_EQ(outcomes, std::vector<int>(8, 0));
}

}  // namespace
}  // namespace weft::testing
