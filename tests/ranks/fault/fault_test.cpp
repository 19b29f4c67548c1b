// WEFT_FAULT on whole communicators: results are right, the rate is kept, nonsense is refused.
#include <algorithm>
#include <string>

#include "base/clock.hpp"
#include "tests/ranks/api/ranks.hpp"
#include "tests/unit/base/environment.hpp"

namespace weft::testing {
namespace {

// How long an all-reduce of `count` floats took on the rank it took longest.
Duration all_reduce(const char* node_of_each, std::size_t count) {
  const auto names = nodes(node_of_each);
  std::vector<Duration> took(names.size());
  run_ranks(int(names.size()), {.nodes = names}, [&](int rank, weft_comm_t comm) {
    std::vector<float> in(count, float(rank + 1)), out(count);
    ASSERT_EQ(weft_barrier(comm, nullptr), weft_ok);
    const TimePoint begin = Clock::now();
    ASSERT_EQ(weft_all_reduce(in.data(), out.data(), count, weft_float32, weft_sum, comm, nullptr),
              weft_ok);
    took[std::size_t(rank)] = Clock::now() - begin;
    const float right = float(names.size() * (names.size() + 1) / 2);
    EXPECT_EQ(std::count(out.begin(), out.end(), right), std::ptrdiff_t(count));
  });
  return *std::max_element(took.begin(), took.end());
}

// Of two ranks each sends a vector's worth at least: less than its time at the rate (and what a
// burst takes, a millisecond of it and one slot) is impossible, however fast the machine.
TEST(Fault, TheRateIsKept) {
  constexpr std::size_t count = 1 << 20;  // 4 MiB
  for (const auto& [where, fault] :
       {std::pair{"aa", "loopback:rate=16M"}, {"ab", "tcp:rate=16M"}}) {
    const ScopedVariable slow("WEFT_FAULT", fault);
    EXPECT_GE(all_reduce(where, count), std::chrono::milliseconds(200)) << fault;
  }
}

TEST(Fault, TransportsSlowedApartCarryAHierarchy) {
  const ScopedVariable slow("WEFT_FAULT", "loopback:rate=64M;tcp:rate=16M");
  all_reduce("aabb", 100'003);
}

// A message that is late, and one whose loss or damage nobody would see.
TEST(Fault, DelayedMessagesChangeNoResult) {
  const ScopedVariable late("WEFT_FAULT", "all:delay=2ms,chance=0.3,seed=5");
  for (const char* where : {"aaaa", "abcd", "aabb"}) all_reduce(where, 30'011);
}

// A rule of one rank alone: the others neither lend to it nor borrow from it.
TEST(Fault, ARankWhoseEveryByteIsSeenAmongOthersWhoLend) {
  const ScopedVariable slow("WEFT_FAULT", "loopback:rate=1G,rank=1");
  for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{300'007}})
    all_reduce("aaaa", count);
}

// What each of two ranks is told when the link between them ends.
TEST(Fault, ALinkThatIsCutIsNamedOnBothSides) {
  for (const auto& [where, fault] : {std::pair{"aaa", "loopback:close,rank=1,operation=2"},
                                     {"abc", "tcp:close,rank=1,operation=2"}}) {
    const ScopedVariable cut("WEFT_FAULT", fault);
    const auto names = nodes(where);
    run_ranks(3, {.nodes = names, .destroy = false}, [&](int rank, weft_comm_t comm) {
      std::vector<float> data(1000);
      weft_result_t result = weft_ok;
      for (int call = 0; call < 9 && result == weft_ok; ++call)
        result = weft_all_reduce(data.data(), data.data(), data.size(), weft_float32, weft_sum,
                                 comm, nullptr);
      const std::string text = weft_last_error();
      EXPECT_NE(result, weft_ok);
      EXPECT_NE(text.find("link to rank"), std::string::npos)
          << "rank " << rank << ", " << fault << ": " << text;
      if (rank == 1) {
        EXPECT_NE(text.find("cut on purpose"), std::string::npos) << fault << ": " << text;
      }
    });
  }
}

TEST(Fault, NonsenseIsRefusedBeforeAnythingIsOpened) {
  const ScopedVariable wrong("WEFT_FAULT", "tcp:lose");
  weft_unique_id_t id;
  ASSERT_EQ(weft_get_unique_id(&id), weft_ok);
  weft_comm_t comm = nullptr;
  EXPECT_EQ(weft_comm_create(&comm, 1, 0, &id, nullptr), weft_invalid_argument);
  EXPECT_NE(std::string(weft_last_error()).find("there is no fault 'lose'"), std::string::npos)
      << weft_last_error();
  EXPECT_EQ(comm, nullptr);
}

}  // namespace
}  // namespace weft::testing
