// Reduce, gather and scatter in every form; who is not the root needs no buffer for the whole.
#include <algorithm>

#include "tests/ranks/cpp_api/ranks.hpp"
#include "tests/ranks/cpp_api/values.hpp"

namespace weft::testing {
namespace {

template <class T>
void put_block(std::vector<T>& all, const std::vector<T>& block, Rank rank) {
  std::ranges::copy(block, all.begin() + std::ptrdiff_t(block.size()) * rank.value);
}

template <class T>
void reduce(Communicator& comm, Rank root, std::size_t count) {
  const auto input = input_of<T>(comm.rank(), count);
  const bool is_root = comm.rank() == root;
  Case<T> made{input, std::vector<T>(count, T(99)), input, {}, {}};
  made.wanted = is_root ? sum_of<T>(comm.ranks(), count) : made.output;
  made.wanted_in_place = is_root ? made.wanted : made.both;
  in_every_form(
      made,
      [&](auto& in, auto& out, auto& both) {
        comm.reduce(in, out, root);
        comm.reduce(both, root);
      },
      [&](auto& in, auto& out, auto& both) {
        Request apart = comm.reduce_start(in, out, root);
        comm.reduce_start(both, root).wait();
        apart.wait();
      },
      [&](auto& in, auto& out, auto& both) {
        comm.reduce_init(in, out, root).start().wait();
        comm.reduce_init(both, root).start().wait();
      });
  const auto summed = comm.reduce_async(input, root).get();
  EXPECT_EQ(summed, is_root ? made.wanted : std::vector<T>());
}

template <class T>
void gather(Communicator& comm, Rank root, std::size_t count) {
  const auto input = input_of<T>(comm.rank(), count);
  const bool is_root = comm.rank() == root;
  Case<T> made{input, std::vector<T>(count * comm.ranks(), T(99)), {}, {}, {}};
  made.both = made.output;
  put_block(made.both, input, comm.rank());
  made.wanted = is_root ? gathered<T>(comm.ranks(), count) : made.output;
  made.wanted_in_place = is_root ? made.wanted : made.both;
  in_every_form(
      made,
      [&](auto& in, auto& out, auto& both) {
        comm.gather(in, out, root);
        comm.gather(both, root);
      },
      [&](auto& in, auto& out, auto& both) {
        Request apart = comm.gather_start(in, out, root);
        comm.gather_start(both, root).wait();
        apart.wait();
      },
      [&](auto& in, auto& out, auto& both) {
        comm.gather_init(in, out, root).start().wait();
        comm.gather_init(both, root).start().wait();
      });
  EXPECT_EQ(comm.gather_async(input, root).get(), is_root ? made.wanted : std::vector<T>());
}

template <class T>
void scatter(Communicator& comm, Rank root, std::size_t count) {
  const auto input = input_of<T>(comm.rank(), count * comm.ranks());
  Case<T> made{input, std::vector<T>(count), input, {}, input};
  made.wanted = block_of(input_of<T>(root, input.size()), comm.rank(), comm.ranks());
  put_block(made.wanted_in_place, made.wanted, comm.rank());
  in_every_form(
      made,
      [&](auto& in, auto& out, auto& both) {
        comm.scatter(in, out, root);
        comm.scatter(both, root);
      },
      [&](auto& in, auto& out, auto& both) {
        Request apart = comm.scatter_start(in, out, root);
        comm.scatter_start(both, root).wait();
        apart.wait();
      },
      [&](auto& in, auto& out, auto& both) {
        comm.scatter_init(in, out, root).start().wait();
        comm.scatter_init(both, root).start().wait();
      });
  EXPECT_EQ(comm.scatter_async(input, root).get(), made.wanted);
}

template <class T>
void every_rooted_collective(Communicator& comm) {
  for (const Rank root : {Rank{0}, Rank{int(comm.ranks()) - 1}})
    for (const std::size_t count : {0, 7, 5000}) {
      reduce<T>(comm, root, count);
      gather<T>(comm, root, count);
      scatter<T>(comm, root, count);
    }
}

class Rooted : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Nodes, Rooted, ::testing::Values("a", "aa", "ab", "aab", "aabb"));

TEST_P(Rooted, GiveTheSameInEveryForm) {
  for (const Progress progress : {Progress::caller, Progress::thread})
    run_ranks(GetParam(), {.progress = progress}, [](Communicator& comm) {
      every_rooted_collective<float>(comm);
      every_rooted_collective<unsigned char>(comm);
    });
}

TEST(RootedBuffers, OfTheWholeAreNeededAtTheRootOnly) {
  run_ranks("aab", {}, [](Communicator& comm) {
    const Rank root{1};
    const int own = comm.rank().value;
    const std::vector<int> input{own, own + 1};
    std::vector<int> whole(comm.rank() == root ? 6 : 0), part(2);
    comm.gather(input, whole, root);
    if (comm.rank() == root) { EXPECT_EQ(whole, (std::vector<int>{0, 1, 1, 2, 2, 3})); }
    comm.scatter(whole, part, root);
    EXPECT_EQ(part, input);
    std::vector<int> greatest(comm.rank() == root ? 2 : 0);
    comm.reduce(input, greatest, root, Op::max);
    if (comm.rank() == root) { EXPECT_EQ(greatest, (std::vector<int>{2, 3})); }
    const auto first = comm.make_operator<int>([](int left, int) { return left; }, Commutes::no);
    comm.reduce_start(input, greatest, root, first).wait();
    if (comm.rank() == root) { EXPECT_EQ(greatest, (std::vector<int>{0, 1})); }
  });
}

TEST(RootedSizes, ThatDoNotFitStartNothing) {
  run_ranks("aab", {}, [](Communicator& comm) {
    std::vector<int> three(3), four(4), twelve(12);
    const Rank own = comm.rank();  // so each looks at all of its buffers
    const auto refused = [](auto call) { EXPECT_EQ(code_of(call), Code::invalid_argument); };
    refused([&] { comm.reduce(three, four, own); });
    refused([&] { comm.reduce(three, Rank{3}); });
    refused([&] { comm.reduce(three, Rank{-1}); });
    refused([&] { static_cast<void>(comm.reduce_start(three, four, own)); });
    refused([&] { static_cast<void>(comm.reduce_init(three, four, own)); });
    refused([&] { comm.gather(three, twelve, own); });
    refused([&] { comm.gather(four, own); });
    refused([&] { static_cast<void>(comm.gather_start(four, three, own)); });
    refused([&] { static_cast<void>(comm.gather_init(four, three, own)); });
    refused([&] { comm.scatter(twelve, three, own); });
    refused([&] { comm.scatter(four, own); });
    refused([&] { static_cast<void>(comm.scatter_start(three, four, own)); });
    refused([&] { static_cast<void>(comm.scatter_init(three, four, own)); });
    comm.barrier();  // all that was no call
    EXPECT_EQ(comm.state(), Code::ok);
  });
}

}  // namespace
}  // namespace weft::testing
