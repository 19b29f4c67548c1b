// WEFT_INTEGRITY: right results as ever, and a bit that changes on any path is found and its hop
// named.
#include <algorithm>
#include <string>

#include "tests/ranks/api/ranks.hpp"
#include "tests/unit/base/environment.hpp"

namespace weft::testing {
namespace {

using u64 = std::uint64_t;

using Collective = weft_result_t (*)(std::vector<u64>& data, weft_comm_t comm);

// Of `count` elements a rank; data has room for all ranks'.
constexpr std::size_t ranks = 4;
template <std::size_t count>
weft_result_t reduced(std::vector<u64>& d, weft_comm_t comm) {
  return weft_all_reduce(d.data(), d.data(), count, weft_uint64, weft_sum, comm, nullptr);
}
template <std::size_t count>
weft_result_t gathered(std::vector<u64>& d, weft_comm_t comm) {
  std::vector<u64> mine(d.begin(), d.begin() + count);
  return weft_all_gather(mine.data(), d.data(), count, weft_uint64, comm, nullptr);
}
template <std::size_t count>
weft_result_t scattered(std::vector<u64>& d, weft_comm_t comm) {
  std::vector<u64> mine(count);
  return weft_reduce_scatter(d.data(), mine.data(), count, weft_uint64, weft_sum, comm, nullptr);
}
template <std::size_t count>
weft_result_t sent_to_all(std::vector<u64>& d, weft_comm_t comm) {
  return weft_broadcast(d.data(), d.data(), count, weft_uint64, 1, comm, nullptr);
}

struct Case {
  const char* nodes;
  const char* transport;
};
constexpr Case cases[] = {{"aaaa", "loopback"}, {"abcd", "tcp"}, {"aaaa", "shm"}, {"aabb", "auto"}};

TEST(Integrity, ChangesNoResult) {
  const ScopedVariable on("WEFT_INTEGRITY", "1");
  for (const Case& where : cases) {
    const ScopedVariable over("WEFT_TRANSPORT", where.transport);
    for (const std::size_t count : {1u, 100u, 70'001u}) {
      run_ranks(ranks, {.nodes = nodes(where.nodes)}, [&](int rank, weft_comm_t comm) {
        for (int repeat = 0; repeat < 3; ++repeat) {
          std::vector<u64> data(count);
          for (std::size_t i = 0; i < count; ++i) data[i] = i * u64(rank + 1);
          ASSERT_EQ(weft_all_reduce(data.data(), data.data(), count, weft_uint64, weft_sum, comm,
                                    nullptr),
                    weft_ok)
              << weft_last_error();
          for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(data[i], i * 10);
        }
      });
    }
  }
}

// Every message of rank 1 loses a bit; whoever is told, is told of rank 1.
TEST(Integrity, FindsAChangedBitOnEveryPath) {
  const ScopedVariable on("WEFT_INTEGRITY", "1");
  const ScopedVariable fault("WEFT_FAULT", "all:corrupt,rank=1,operation=1");
  const Collective collectives[] = {reduced<1>,      reduced<50'000>,    gathered<3>,
                                    gathered<9'000>, scattered<2>,       scattered<9'000>,
                                    sent_to_all<5>,  sent_to_all<50'000>};
  for (const Case& where : cases) {
    const ScopedVariable over("WEFT_TRANSPORT", where.transport);
    for (const Collective collective : collectives)
      run_ranks(ranks, {.nodes = nodes(where.nodes), .destroy = false},
                [&](int rank, weft_comm_t comm) {
                  std::vector<u64> data(50'000, 7);
                  weft_result_t result = collective(data, comm);
                  for (int more = 0; more < 3 && result == weft_ok; ++more)
                    result = collective(data, comm);
                  if (result == weft_ok) result = weft_barrier(comm, nullptr);
                  const std::string text = weft_last_error();
                  EXPECT_EQ(result, weft_remote_error) << text;
                  EXPECT_NE(text.find("a message from rank 1 to rank "), std::string::npos)
                      << "rank " << rank << ": " << text;
                  EXPECT_NE(text.find("has changed on its way"), std::string::npos) << text;
                });
  }
}

TEST(Integrity, IsAskedForOnAllRanks) {
  const ScopedVariable off("WEFT_INTEGRITY", "2");
  weft_unique_id_t id;
  ASSERT_EQ(weft_get_unique_id(&id), weft_ok);
  weft_comm_t comm = nullptr;
  EXPECT_EQ(weft_comm_create(&comm, 1, 0, &id, nullptr), weft_invalid_argument);
  EXPECT_NE(std::string(weft_last_error()).find("WEFT_INTEGRITY=2"), std::string::npos);
}

}  // namespace
}  // namespace weft::testing
