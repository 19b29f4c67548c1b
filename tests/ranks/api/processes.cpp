// A rank that is killed is named on every other rank, in a collective of each kind, by each
// transport.
#include "tests/ranks/api/processes.hpp"

#include <csignal>

namespace weft::testing {
namespace {

weft_result_t call(int kind, std::vector<float>& in, std::vector<float>& out, weft_comm_t comm) {
  const std::size_t count = in.size() / 4;
  switch (kind) {
    case 0:
      return weft_all_reduce(in.data(), out.data(), count, weft_float32, weft_sum, comm, nullptr);
    case 1:
      return weft_reduce_scatter(in.data(), out.data(), count, weft_float32, weft_sum, comm,
                                 nullptr);
    case 2: return weft_all_gather(in.data(), out.data(), count, weft_float32, comm, nullptr);
    default: return weft_barrier(comm, nullptr);
  }
}

class Killed : public ::testing::TestWithParam<const char*> {};

TEST_P(Killed, RankIsNamedOnAllOthers) {
  std::vector<std::string> nodes;
  for (const char* at = GetParam(); *at; ++at) nodes.emplace_back(1, *at);
  const int ranks = int(nodes.size()), victim = ranks - 1;
  for (const int kind : {0, 1, 2, 3}) {
    const auto outcomes = fork_ranks(ranks, nodes, [&](int rank, weft_comm_t comm) {
      std::vector<float> in(100003, 1), out(in.size());
      for (int i = 0; i < 1000; ++i) {
        if (rank == victim && i == 3) ::raise(SIGKILL);
        if (call(kind, in, out, comm) == weft_ok) continue;
        const std::string text = weft_last_error();
        if (state_of(comm) == weft_remote_error &&
            text.find("rank " + std::to_string(victim)) != text.npos)
          return true;
        std::fprintf(stderr, "rank %d: %s\n", rank, text.c_str());
        return false;
      }
      return false;
    });
    for (int rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(outcomes[std::size_t(rank)], rank == victim ? SIGKILL : 0)
          << "rank " << rank << ", kind " << kind;
  }
}

INSTANTIATE_TEST_SUITE_P(Nodes, Killed, ::testing::Values("aaa", "ab", "aabb"));

}  // namespace
}  // namespace weft::testing
