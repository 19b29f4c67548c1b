// The collectives on blocks of any size, in every form, with gaps between blocks and without.
#include <algorithm>

#include "tests/ranks/cpp_api/ranks.hpp"
#include "tests/ranks/cpp_api/values.hpp"

namespace weft::testing {
namespace {

using Sizes = std::vector<std::size_t>;

// Blocks with an empty one among them. With gaps they lie in reverse order, 2 elements apart.
struct Layout {
  explicit Layout(Sizes sizes, bool gaps) : counts(std::move(sizes)), places(counts.size()) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::size_t block = gaps ? counts.size() - 1 - i : i;
      places[block] = size;
      size += counts[block] + (gaps ? 2 : 0);
    }
    has_gaps = gaps;
  }
  operator Blocks() const { return has_gaps ? Blocks(counts, places) : Blocks(counts); }
  template <class T>
  void put(std::vector<T>& all, std::size_t block, const std::vector<T>& values) const {
    std::ranges::copy(values, all.begin() + std::ptrdiff_t(places[block]));
  }
  template <class T>
  std::vector<T> get(const std::vector<T>& all, std::size_t block) const {
    const auto begin = all.begin() + std::ptrdiff_t(places[block]);
    return {begin, begin + std::ptrdiff_t(counts[block])};
  }
  Sizes counts, places;
  std::size_t size = 0;
  bool has_gaps = false;
};

Layout layout_of(std::size_t ranks, std::size_t scale, bool gaps) {
  Sizes counts(ranks);
  for (std::size_t r = 0; r < ranks; ++r) counts[r] = r == 1 ? 0 : scale * (r + 1);
  return Layout(counts, gaps);
}

// All blocks of a layout, of which the block of rank r holds what r gives.
template <class T>
std::vector<T> all_blocks(const Layout& layout, T between) {
  std::vector<T> all(layout.size, between);
  for (std::size_t r = 0; r < layout.counts.size(); ++r)
    layout.put(all, r, input_of<T>(Rank{int(r)}, layout.counts[r]));
  return all;
}

template <class T>
void gatherv(Communicator& comm, const Layout& layout) {
  const Rank root{int(comm.ranks()) - 1};
  const std::size_t own = comm.rank().index();
  Case<T> made{input_of<T>(comm.rank(), layout.counts[own]), {}, {}, {}, {}};
  made.output.assign(layout.size, T(99));
  made.both = made.output;
  layout.put(made.both, own, made.input);
  made.wanted = comm.rank() == root ? all_blocks<T>(layout, T(99)) : made.output;
  made.wanted_in_place = comm.rank() == root ? made.wanted : made.both;
  in_every_form(
      made,
      [&](auto& in, auto& out, auto& both) {
        comm.gatherv(in, out, layout, root);
        comm.gatherv(both, layout, root);
      },
      [&](auto& in, auto& out, auto& both) {
        Request apart = comm.gatherv_start(in, out, layout, root);
        comm.gatherv_start(both, layout, root).wait();
        apart.wait();
      },
      [&](auto& in, auto& out, auto& both) {
        comm.gatherv_init(in, out, layout, root).start().wait();
        comm.gatherv_init(both, layout, root).start().wait();
      });
}

template <class T>
void scatterv(Communicator& comm, const Layout& layout) {
  const Rank root{0};
  const std::size_t own = comm.rank().index();
  Case<T> made{std::vector<T>(layout.size, T(99)), std::vector<T>(layout.counts[own]), {}, {}, {}};
  if (comm.rank() == root) made.input = all_blocks<T>(layout, T(99));
  made.both = made.wanted_in_place = made.input;
  made.wanted = input_of<T>(comm.rank(), layout.counts[own]);
  layout.put(made.wanted_in_place, own, made.wanted);
  in_every_form(
      made,
      [&](auto& in, auto& out, auto& both) {
        comm.scatterv(in, layout, out, root);
        comm.scatterv(both, layout, root);
      },
      [&](auto& in, auto& out, auto& both) {
        Request apart = comm.scatterv_start(in, layout, out, root);
        comm.scatterv_start(both, layout, root).wait();
        apart.wait();
      },
      [&](auto& in, auto& out, auto& both) {
        comm.scatterv_init(in, layout, out, root).start().wait();
        comm.scatterv_init(both, layout, root).start().wait();
      });
}

template <class T>
void all_gatherv(Communicator& comm, const Layout& layout) {
  const std::size_t own = comm.rank().index();
  Case<T> made{input_of<T>(comm.rank(), layout.counts[own]), {}, {}, {}, {}};
  made.output.assign(layout.size, T(99));
  made.both = made.output;
  layout.put(made.both, own, made.input);
  made.wanted = made.wanted_in_place = all_blocks<T>(layout, T(99));
  in_every_form(
      made,
      [&](auto& in, auto& out, auto& both) {
        comm.all_gatherv(in, out, layout);
        comm.all_gatherv(both, layout);
      },
      [&](auto& in, auto& out, auto& both) {
        Request apart = comm.all_gatherv_start(in, out, layout);
        comm.all_gatherv_start(both, layout).wait();
        apart.wait();
      },
      [&](auto& in, auto& out, auto& both) {
        comm.all_gatherv_init(in, out, layout).start().wait();
        comm.all_gatherv_init(both, layout).start().wait();
      });
}

template <class T>
void reduce_scatterv(Communicator& comm, const Layout& layout) {
  const std::size_t own = comm.rank().index();
  Case<T> made{
      input_of<T>(comm.rank(), layout.size), std::vector<T>(layout.counts[own]), {}, {}, {}};
  made.both = made.wanted_in_place = made.input;
  made.wanted = layout.get(sum_of<T>(comm.ranks(), layout.size), own);
  layout.put(made.wanted_in_place, own, made.wanted);
  in_every_form(
      made,
      [&](auto& in, auto& out, auto& both) {
        comm.reduce_scatterv(in, out, layout);
        comm.reduce_scatterv(both, layout);
      },
      [&](auto& in, auto& out, auto& both) {
        Request apart = comm.reduce_scatterv_start(in, out, layout);
        comm.reduce_scatterv_start(both, layout).wait();
        apart.wait();
      },
      [&](auto& in, auto& out, auto& both) {
        comm.reduce_scatterv_init(in, out, layout).start().wait();
        comm.reduce_scatterv_init(both, layout).start().wait();
      });
}

// How much goes from a rank to another, nothing to the next one; and what.
std::size_t count_of(std::size_t from, std::size_t to, std::size_t scale) {
  return from + 1 == to ? 0 : scale * (2 * from + to + 1);
}
template <class T>
std::vector<T> message(std::size_t from, std::size_t to, std::size_t scale) {
  std::vector<T> made = input_of<T>(Rank{int(from)}, count_of(from, to, scale));
  for (T& value : made) value = T(value + T(16 * to));
  return made;
}

// `sent` and `received` blocks of this rank in buffers that are larger than both.
template <class T>
Case<T> exchange(std::size_t rank, std::size_t scale, const Layout& sent, const Layout& received) {
  const std::size_t size = std::max(sent.size, received.size) + 1;
  Case<T> made{std::vector<T>(size, T(98)), std::vector<T>(size, T(99)), {}, {}, {}};
  for (std::size_t to = 0; to < sent.counts.size(); ++to)
    sent.put(made.input, to, message<T>(rank, to, scale));
  made.both = made.wanted_in_place = made.input;
  made.wanted = made.output;
  for (std::size_t from = 0; from < received.counts.size(); ++from) {
    received.put(made.wanted, from, message<T>(from, rank, scale));
    received.put(made.wanted_in_place, from, message<T>(from, rank, scale));
  }
  return made;
}
Layout sent_by(Communicator& comm, std::size_t scale, bool gaps) {
  Sizes counts;
  for (std::size_t to = 0; to < comm.ranks(); ++to)
    counts.push_back(count_of(comm.rank().index(), to, scale));
  return Layout(counts, gaps);
}
Layout received_by(Communicator& comm, std::size_t scale, bool gaps) {
  Sizes counts;
  for (std::size_t from = 0; from < comm.ranks(); ++from)
    counts.push_back(count_of(from, comm.rank().index(), scale));
  return Layout(counts, gaps);
}

template <class T>
void all_to_allv(Communicator& comm, std::size_t scale, bool gaps) {
  const Layout sent = sent_by(comm, scale, gaps), received = received_by(comm, scale, gaps);
  in_every_form(
      exchange<T>(comm.rank().index(), scale, sent, received),
      [&](auto& in, auto& out, auto& both) {
        comm.all_to_allv(in, sent, out, received);
        comm.all_to_allv(both, sent, received);
      },
      [&](auto& in, auto& out, auto& both) {
        Request apart = comm.all_to_allv_start(in, sent, out, received);
        comm.all_to_allv_start(both, sent, received).wait();
        apart.wait();
      },
      [&](auto& in, auto& out, auto& both) {
        comm.all_to_allv_init(in, sent, out, received).start().wait();
        comm.all_to_allv_init(both, sent, received).start().wait();
      });
}

template <class T>
void all_to_allvc(Communicator& comm, std::size_t scale) {
  Sizes counts;
  for (std::size_t from = 0; from < comm.ranks(); ++from)
    for (std::size_t to = 0; to < comm.ranks(); ++to) counts.push_back(count_of(from, to, scale));
  in_every_form(
      exchange<T>(comm.rank().index(), scale, sent_by(comm, scale, false),
                  received_by(comm, scale, false)),
      [&](auto& in, auto& out, auto& both) {
        comm.all_to_allvc(in, out, counts);
        comm.all_to_allvc(both, counts);
      },
      [&](auto& in, auto& out, auto& both) {
        Request apart = comm.all_to_allvc_start(in, out, counts);
        comm.all_to_allvc_start(both, counts).wait();
        apart.wait();
      },
      [&](auto& in, auto& out, auto& both) {
        comm.all_to_allvc_init(in, out, counts).start().wait();
        comm.all_to_allvc_init(both, counts).start().wait();
      });
}

template <class T>
void every_uneven_collective(Communicator& comm) {
  for (const std::size_t scale : {0, 1, 900})
    for (const bool gaps : {false, true}) {
      const Layout layout = layout_of(comm.ranks(), scale, gaps);
      gatherv<T>(comm, layout);
      scatterv<T>(comm, layout);
      all_gatherv<T>(comm, layout);
      reduce_scatterv<T>(comm, layout);
      all_to_allv<T>(comm, scale, gaps);
      all_to_allvc<T>(comm, scale);
    }
}

class Uneven : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Nodes, Uneven, ::testing::Values("a", "aa", "ab", "aab", "aabb"));

TEST_P(Uneven, GiveTheSameInEveryForm) {
  for (const Progress progress : {Progress::caller, Progress::thread})
    run_ranks(GetParam(), {.progress = progress}, [](Communicator& comm) {
      every_uneven_collective<float>(comm);
      every_uneven_collective<unsigned char>(comm);
    });
}

TEST(UnevenBuffers, OfTheWholeAreNeededAtTheRootOnly) {
  run_ranks("aab", {}, [](Communicator& comm) {
    const Rank root{1};
    const bool is_root = comm.rank() == root;
    const Sizes counts = is_root ? Sizes{1, 2, 3} : Sizes{};
    const std::vector<int> input(comm.rank().index() + 1, comm.rank().value);
    std::vector<int> whole(is_root ? 6 : 0), part(input.size(), 9);
    comm.gatherv(input, whole, counts, root);
    if (is_root) { EXPECT_EQ(whole, (std::vector<int>{0, 1, 1, 2, 2, 2})); }
    comm.scatterv(whole, counts, part, root);
    EXPECT_EQ(part, input);
  });
}

TEST(UnevenBuffers, KeepNothingOfTheCountsForAnOperation) {
  run_ranks("aab", {}, [](Communicator& comm) {
    std::vector<std::int16_t> input(comm.rank().index() + 1, std::int16_t(comm.rank().value)),
        all(6);
    Sizes counts{1, 2, 3}, places{5, 3, 0};
    Operation planned = comm.all_gatherv_init(input, all, {counts, places});
    counts.assign(3, 77);
    places.assign(3, 77);
    planned.start().wait();
    EXPECT_EQ(all, (std::vector<std::int16_t>{2, 2, 2, 1, 1, 0}));
  });
}

TEST(UnevenBuffers, OfBytesAreCountedInElements) {
  run_ranks("ab", {}, [](Communicator& comm) {
    std::vector<double> values(3, comm.rank().value + 1.0);
    const Sizes counts{2, 1};
    comm.all_gatherv(typed(std::as_writable_bytes(std::span(values)), DataType::float64), counts);
    EXPECT_EQ(values, (std::vector<double>{1, 1, 2}));
  });
}

TEST(UnevenSizes, ThatDoNotFitStartNothing) {
  run_ranks("aab", {}, [](Communicator& comm) {
    std::vector<int> three(3), four(4), six(6), out(6);
    const Rank own = comm.rank();  // so each looks at all of its buffers
    const Sizes two{3, 3}, threes{3, 3, 3}, ones{1, 1, 1}, beyond{0, 2, 6}, few{0};
    const auto refused = [](auto call) { EXPECT_EQ(code_of(call), Code::invalid_argument); };
    refused([&] { comm.gatherv(three, six, two, own); });
    refused([&] { comm.gatherv(three, six, threes, own); });
    refused([&] { comm.gatherv(four, six, ones, own); });
    refused([&] { comm.gatherv(six, threes, own); });
    refused([&] { comm.scatterv(six, threes, three, own); });
    refused([&] { comm.scatterv(six, ones, three, own); });
    refused([&] { comm.scatterv(six, threes, own); });
    refused([&] { comm.all_gatherv(three, six, threes); });
    refused([&] { comm.all_gatherv(three, six, ones); });
    refused([&] { comm.all_gatherv(six, {ones, beyond}); });
    refused([&] { comm.all_gatherv(six, {ones, few}); });
    refused([&] { comm.reduce_scatterv(six, three, threes); });
    refused([&] { comm.reduce_scatterv(six, three, ones); });
    refused([&] { comm.all_to_allv(six, threes, out, ones); });
    refused([&] { comm.all_to_allv(six, ones, out, threes); });
    refused([&] { comm.all_to_allv(six, ones, out, {ones, Sizes{0, 1, ~std::size_t{0}}}); });
    refused([&] { comm.all_to_allvc(six, out, ones); });
    refused([&] { comm.all_to_allvc(six, out, Sizes(9, 3)); });
    refused([&] { static_cast<void>(comm.all_gatherv_start(three, six, ones)); });
    refused([&] { static_cast<void>(comm.all_to_allv_init(six, ones, out, two)); });
    refused([&] { static_cast<void>(Blocks(ones).of(six, Rank{3})); });
    refused([&] { static_cast<void>(Blocks(ones).of(six, Rank{-1})); });
    comm.barrier();  // all that was no call
    EXPECT_EQ(comm.state(), Code::ok);
    EXPECT_EQ(Blocks(Sizes{1, 2, 3}).of(six, Rank{2}).data(), six.data() + 3);
    try {
      comm.all_gatherv(three, six, threes);
      ADD_FAILURE() << "nothing was refused";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(),
                   "the output has 6 elements: the block of rank 2 begins at 6 and has 3");
    }
  });
}

}  // namespace
}  // namespace weft::testing
