// All-to-all and the two scans in every form.
#include <algorithm>

#include "tests/ranks/cpp_api/ranks.hpp"
#include "tests/ranks/cpp_api/values.hpp"

namespace weft::testing {
namespace {

template <class T>
void all_to_all(Communicator& comm, std::size_t count) {
  const std::size_t ranks = comm.ranks();
  // A rank's own values in each block: its blocks differ, so none can be taken for another.
  const auto input_of_rank = [&](Rank rank) {
    std::vector<T> made(count * ranks);
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i] = T(rank.index() * ranks + i / std::max<std::size_t>(count, 1) + i % 5 * 16);
    return made;
  };
  Case<T> made{input_of_rank(comm.rank()), std::vector<T>(count * ranks), {}, {}, {}};
  made.both = made.input;
  for (std::size_t from = 0; from < ranks; ++from)
    for (const T value : block_of(input_of_rank(Rank{int(from)}), comm.rank(), ranks))
      made.wanted.push_back(value);
  made.wanted_in_place = made.wanted;
  in_every_form(
      made,
      [&](auto& in, auto& out, auto& both) {
        comm.all_to_all(in, out);
        comm.all_to_all(both);
      },
      [&](auto& in, auto& out, auto& both) {
        Request apart = comm.all_to_all_start(in, out);
        comm.all_to_all_start(both).wait();
        apart.wait();
      },
      [&](auto& in, auto& out, auto& both) {
        comm.all_to_all_init(in, out).start().wait();
        comm.all_to_all_init(both).start().wait();
      });
  EXPECT_EQ(comm.all_to_all_async(made.input).get(), made.wanted);
}

template <class T>
void scan(Communicator& comm, std::size_t count) {
  const auto input = input_of<T>(comm.rank(), count);
  const auto wanted = sum_of<T>(comm.rank().index() + 1, count);
  const Case<T> made{input, std::vector<T>(count), input, wanted, wanted};
  in_every_form(
      made,
      [&](auto& in, auto& out, auto& both) {
        comm.scan(in, out);
        comm.scan(both);
      },
      [&](auto& in, auto& out, auto& both) {
        Request apart = comm.scan_start(in, out);
        comm.scan_start(both).wait();
        apart.wait();
      },
      [&](auto& in, auto& out, auto& both) {
        comm.scan_init(in, out).start().wait();
        comm.scan_init(both).start().wait();
      });
  EXPECT_EQ(comm.scan_async(input).get(), wanted);
}

template <class T>
void exscan(Communicator& comm, std::size_t count) {
  const auto input = input_of<T>(comm.rank(), count);
  const auto sum = sum_of<T>(comm.rank().index(), count);
  const bool is_first = comm.rank() == Rank{0};  // it gets nothing
  Case<T> made{input, std::vector<T>(count, T(99)), input, sum, sum};
  if (is_first) {
    made.wanted = made.output;
    made.wanted_in_place = input;
  }
  in_every_form(
      made,
      [&](auto& in, auto& out, auto& both) {
        comm.exscan(in, out);
        comm.exscan(both);
      },
      [&](auto& in, auto& out, auto& both) {
        Request apart = comm.exscan_start(in, out);
        comm.exscan_start(both).wait();
        apart.wait();
      },
      [&](auto& in, auto& out, auto& both) {
        comm.exscan_init(in, out).start().wait();
        comm.exscan_init(both).start().wait();
      });
  EXPECT_EQ(comm.exscan_async(input).get(), sum);  // zeros at rank 0
}

template <class T>
void all_of_them(Communicator& comm) {
  for (const std::size_t count : {0, 7, 5000}) {
    all_to_all<T>(comm, count);
    scan<T>(comm, count);
    exscan<T>(comm, count);
  }
}

class AllToAllAndScans : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Nodes, AllToAllAndScans,
                         ::testing::Values("a", "aa", "ab", "aab", "aabb"));

TEST_P(AllToAllAndScans, GiveTheSameInEveryForm) {
  for (const Progress progress : {Progress::caller, Progress::thread})
    run_ranks(GetParam(), {.progress = progress}, [](Communicator& comm) {
      all_of_them<float>(comm);
      all_of_them<unsigned char>(comm);
    });
}

TEST(AllToAllAndScansSizes, ThatDoNotFitStartNothing) {
  run_ranks("aab", {}, [](Communicator& comm) {
    std::vector<int> three(3), four(4), twelve(12);
    const auto refused = [](auto call) { EXPECT_EQ(code_of(call), Code::invalid_argument); };
    refused([&] { comm.all_to_all(three, twelve); });
    refused([&] { comm.all_to_all(four); });
    refused([&] { static_cast<void>(comm.all_to_all_start(four)); });
    refused([&] { static_cast<void>(comm.all_to_all_init(three, twelve)); });
    refused([&] { comm.scan(three, four); });
    refused([&] { comm.scan(three, Op::avg); });
    refused([&] { static_cast<void>(comm.scan_start(three, four)); });
    refused([&] { static_cast<void>(comm.scan_init(three, four)); });
    refused([&] { comm.exscan(three, four); });
    refused([&] { comm.exscan(three, Op::avg); });
    refused([&] { static_cast<void>(comm.exscan_start(three, four)); });
    refused([&] { static_cast<void>(comm.exscan_init(three, four)); });
    comm.barrier();  // all that was no call
    EXPECT_EQ(comm.state(), Code::ok);
    try {
      comm.all_to_all(four);
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "4 elements are not 3 blocks of equal size, one for each rank");
    }
  });
}

}  // namespace
}  // namespace weft::testing
