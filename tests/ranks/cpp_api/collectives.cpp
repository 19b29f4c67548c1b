// Every collective in every form gives the same, and what it should.
#include "tests/ranks/cpp_api/ranks.hpp"
#include "tests/ranks/cpp_api/values.hpp"

namespace weft::testing {
namespace {

template <class T>
void all_reduce(Communicator& comm, std::size_t count) {
  const auto input = input_of<T>(comm.rank(), count);
  const auto wanted = sum_of<T>(comm.ranks(), count);
  std::vector<T> output(count), both = input;
  comm.all_reduce(input, output);
  EXPECT_EQ(output, wanted);
  comm.all_reduce(both);
  EXPECT_EQ(both, wanted);
  std::vector<T> second(count), third = input;
  Request apart = comm.all_reduce_start(input, second), in_place = comm.all_reduce_start(third);
  in_place.wait();
  apart.wait();
  EXPECT_EQ(second, wanted);
  EXPECT_EQ(third, wanted);
  std::vector<T> source, target(count);
  source.resize(count);
  Operation planned = comm.all_reduce_init(source, target);
  Operation planned_in_place = comm.all_reduce_init(both);
  for (int round = 0; round < 3; ++round) {
    source = both = input;
    planned.start();
    planned_in_place.start().wait();
    planned.wait();
    EXPECT_EQ(target, wanted);
    EXPECT_EQ(both, wanted);
  }
  EXPECT_EQ(comm.all_reduce_async(input).get(), wanted);
}

template <class T>
void reduce_scatter(Communicator& comm, std::size_t count) {
  const auto input = input_of<T>(comm.rank(), count * comm.ranks());
  const auto wanted =
      block_of(sum_of<T>(comm.ranks(), count * comm.ranks()), comm.rank(), comm.ranks());
  std::vector<T> output(count), both = input;
  comm.reduce_scatter(input, output);
  EXPECT_EQ(output, wanted);
  comm.reduce_scatter(both);
  EXPECT_EQ(block_of(both, comm.rank(), comm.ranks()), wanted);
  output.assign(count, T{});
  both = input;
  Request apart = comm.reduce_scatter_start(input, output);
  comm.reduce_scatter_start(both).wait();
  apart.wait();
  EXPECT_EQ(output, wanted);
  EXPECT_EQ(block_of(both, comm.rank(), comm.ranks()), wanted);
  both = input;
  output.assign(count, T{});
  comm.reduce_scatter_init(input, output).start().wait();
  comm.reduce_scatter_init(both).start().wait();
  EXPECT_EQ(output, wanted);
  EXPECT_EQ(block_of(both, comm.rank(), comm.ranks()), wanted);
  EXPECT_EQ(comm.reduce_scatter_async(input).get(), wanted);
}

template <class T>
void all_gather(Communicator& comm, std::size_t count) {
  const auto input = input_of<T>(comm.rank(), count);
  const auto wanted = gathered<T>(comm.ranks(), count);
  std::vector<T> output(wanted.size()), both(wanted.size());
  const auto reset = [&] {
    output.assign(wanted.size(), T{});
    both = output;
    std::ranges::copy(input, comm.block(both).begin());
  };
  reset();
  comm.all_gather(input, output);
  comm.all_gather(both);
  EXPECT_EQ(output, wanted);
  EXPECT_EQ(both, wanted);
  reset();
  Request apart = comm.all_gather_start(input, output);
  comm.all_gather_start(both).wait();
  apart.wait();
  EXPECT_EQ(output, wanted);
  EXPECT_EQ(both, wanted);
  reset();
  comm.all_gather_init(input, output).start().wait();
  comm.all_gather_init(both).start().wait();
  EXPECT_EQ(output, wanted);
  EXPECT_EQ(both, wanted);
  EXPECT_EQ(comm.all_gather_async(input).get(), wanted);
}

template <class T>
void broadcast(Communicator& comm, std::size_t count) {
  const Rank root{int(comm.ranks()) - 1};
  const auto own = input_of<T>(comm.rank(), count), wanted = input_of<T>(root, count);
  std::vector<T> output(count), both = own;
  comm.broadcast(own, output, root);
  comm.broadcast(both, root);
  EXPECT_EQ(output, wanted);
  EXPECT_EQ(both, wanted);
  both = own;
  output.assign(count, T{});
  Request apart = comm.broadcast_start(own, output, root);
  comm.broadcast_start(both, root).wait();
  apart.wait();
  EXPECT_EQ(output, wanted);
  EXPECT_EQ(both, wanted);
  both = own;
  output.assign(count, T{});
  comm.broadcast_init(own, output, root).start().wait();
  comm.broadcast_init(both, root).start().wait();
  EXPECT_EQ(output, wanted);
  EXPECT_EQ(both, wanted);
  EXPECT_EQ(comm.broadcast_async(own, root).get(), wanted);
}

template <class T>
void every_collective(Communicator& comm) {
  for (const std::size_t count : {0, 1, 7, 5000}) {
    all_reduce<T>(comm, count);
    reduce_scatter<T>(comm, count);
    all_gather<T>(comm, count);
    broadcast<T>(comm, count);
  }
  comm.barrier();
  comm.barrier_start().wait();
  Operation barrier = comm.barrier_init();
  for (int round = 0; round < 3; ++round) barrier.start().wait();
}

class Collectives : public ::testing::TestWithParam<const char*> {};

TEST_P(Collectives, GiveTheSameInEveryForm) {
  for (const Progress progress : {Progress::caller, Progress::thread})
    run_ranks(GetParam(), {.progress = progress}, [](Communicator& comm) {
      every_collective<float>(comm);
      every_collective<std::int64_t>(comm);
      every_collective<unsigned char>(comm);
    });
}
INSTANTIATE_TEST_SUITE_P(Nodes, Collectives, ::testing::Values("a", "aa", "ab", "aab", "aabb"));

}  // namespace
}  // namespace weft::testing
