// One thread that drives several ranks.
#include "tests/ranks/cpp_api/ranks.hpp"

namespace weft::testing {
namespace {

std::vector<Communicator> join_all(std::size_t ranks) {
  const UniqueId id = UniqueId::create();
  std::vector<Communicator> comms;
  Group group;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    comms.push_back(
        Communicator::join(id, Rank{int(rank)}, ranks, {.node = "a", .timeout = Seconds{60}}));
  EXPECT_FALSE(comms[0]);  // recorded, not made
  group.end();
  return comms;
}

void leave_all(std::vector<Communicator>& comms) {
  Group group;
  comms.clear();
  group.end();
}

TEST(Groups, MakeUseAndDestroySeveralRanks) {
  std::vector<Communicator> comms = join_all(3);
  for (std::size_t rank = 0; rank < 3; ++rank) EXPECT_EQ(comms[rank].rank().index(), rank);
  std::vector<std::vector<int>> values(3, {1, 2}), sums(3, {0, 0});
  Group outer;
  {
    Group inner;
    for (std::size_t i = 0; i < 3; ++i) comms[i].all_reduce(values[i], sums[i]);
    inner.end();
    EXPECT_EQ(sums[0][0], 0);  // not yet
  }
  outer.end();
  outer.end();  // does nothing
  for (const auto& sum : sums) EXPECT_EQ(sum, (std::vector<int>{3, 6}));
  leave_all(comms);
}

TEST(Groups, KeepOperatorsUntilTheyEnd) {
  std::vector<Communicator> comms = join_all(2);
  std::vector<std::vector<int>> values(2, {5});
  Group group;
  for (std::size_t i = 0; i < 2; ++i)
    comms[i].all_reduce(
        values[i], comms[i].make_operator<int>(
                       [one = std::make_shared<int>(1)](int x, int y) { return x * y + *one; }));
  group.end();
  EXPECT_EQ(values[1][0], 26);
  leave_all(comms);
}

TEST(Groups, ThatAnExceptionLeavesAbortWhatWasUsed) {
  std::vector<Communicator> comms = join_all(2);
  std::vector<int> values(10);
  EXPECT_THROW(
      {
        Group group;
        comms[0].all_reduce(values);  // rank 1 will never call
        throw std::logic_error("on purpose");
      },
      std::logic_error);
  EXPECT_EQ(comms[0].state(), Code::aborted);
  Group next;  // the thread's groups are closed again
  next.end();
  EXPECT_EQ(code_of([&] { comms[0].barrier(); }), Code::aborted);
  leave_all(comms);
}

TEST(Groups, ThrowTheFirstError) {
  std::vector<Communicator> comms = join_all(2);
  std::vector<int> two(2), three(3);
  Group group;
  comms[0].all_reduce(two);
  comms[1].all_reduce(three);
  EXPECT_EQ(code_of([&] { group.end(); }), Code::mismatch);
  leave_all(comms);
}

}  // namespace
}  // namespace weft::testing
