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

TEST(Fault, NonsenseIsRefusedBeforeAnythingIsOpened) {
  const ScopedVariable wrong("WEFT_FAULT", "tcp:drop=1");
  weft_unique_id_t id;
  ASSERT_EQ(weft_get_unique_id(&id), weft_ok);
  weft_comm_t comm = nullptr;
  EXPECT_EQ(weft_comm_create(&comm, 1, 0, &id, nullptr), weft_invalid_argument);
  EXPECT_NE(std::string(weft_last_error()).find("there is no fault 'drop'"), std::string::npos)
      << weft_last_error();
  EXPECT_EQ(comm, nullptr);
}

}  // namespace
}  // namespace weft::testing
