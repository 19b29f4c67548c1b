// The classic collectives on 4 ranks. Each is shown as a table, by rank 0, and checked by all.
//
//   mpirun -n 4 ./collectives
#include <cstdio>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>
#include <weft/weft.hpp>

namespace {

// An element of the program's own: what a rank sends (the letter) and to whom (the digit).
struct Parcel {
  char from, to;
  bool operator==(const Parcel&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Parcel& parcel) {
    return out << parcel.from << parcel.to;
  }
};
Parcel parcel(std::size_t from, std::size_t to) { return {char('A' + from), char('0' + to)}; }

}  // namespace

template <>
struct weft::ElementType<Parcel> {
  static constexpr weft::DataType value = weft::DataType::uint16;  // two bytes; nothing adds them
};

namespace {

constexpr weft::Rank root{0};

template <class T>
std::string text_of(const std::vector<T>& row) {
  std::ostringstream text;
  for (const T& value : row) text << (&value == row.data() ? "" : " ") << value;
  return text.str();
}

// The rows of all ranks, which may differ in length, one after the other.
template <class T>
std::vector<std::vector<T>> rows_of_all(weft::Communicator& comm, const std::vector<T>& row) {
  const std::vector<std::size_t> size{row.size()};
  std::vector<std::size_t> sizes(comm.ranks());
  comm.all_gather(size, sizes);
  std::vector<T> all(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  comm.all_gatherv(row, all, sizes);
  std::vector<std::vector<T>> rows;
  for (std::size_t rank = 0; rank < comm.ranks(); ++rank) {
    const auto block = weft::Blocks(sizes).of(all, weft::Rank{int(rank)});
    rows.emplace_back(block.begin(), block.end());
  }
  return rows;
}

// Prints what each rank had and what it has now. Whether all have what they should.
template <class T>
bool show(weft::Communicator& comm, const char* title, const std::vector<T>& before,
          const std::vector<T>& after, const std::vector<T>& wanted) {
  const auto had = rows_of_all(comm, before), has = rows_of_all(comm, after);
  if (comm.rank() == weft::Rank{0}) {
    std::printf("%s\n", title);
    for (std::size_t rank = 0; rank < comm.ranks(); ++rank)
      std::printf("  rank %zu: %-20s ->  %s\n", rank, text_of(had[rank]).c_str(),
                  text_of(has[rank]).c_str());
  }
  std::vector<int> right{after == wanted};
  comm.all_reduce(right, weft::Op::min);
  return right[0] != 0;
}

bool broadcast(weft::Communicator& comm) {
  std::vector<int> row(3, 0);
  if (comm.rank() == root) row = {1, 2, 3};
  const auto before = row;
  comm.broadcast(row, root);
  return show(comm, "broadcast from rank 0", before, row, {1, 2, 3});
}

bool reduce(weft::Communicator& comm) {
  const std::vector<int> input{comm.rank().value + 1};
  std::vector<int> output(comm.rank() == root ? 1 : 0);  // looked at at the root only
  comm.reduce(input, output, root);
  return show(comm, "reduce to rank 0, sum", input, output, std::vector<int>(output.size(), 10));
}

bool all_reduce(weft::Communicator& comm) {
  const std::vector<int> input{comm.rank().value + 1};
  std::vector<int> output(1);
  comm.all_reduce(input, output);  // weft::Op::sum, unless another is given
  return show(comm, "all-reduce, sum", input, output, {10});
}

bool reduce_scatter(weft::Communicator& comm) {
  constexpr int scales[] = {1, 10, 100, 1000};
  const int scale = scales[comm.rank().index()];
  const std::vector<int> input{scale, 2 * scale, 3 * scale, 4 * scale};
  std::vector<int> output(1);
  comm.reduce_scatter(input, output);
  return show(comm, "reduce-scatter, sum", input, output, {1111 * (comm.rank().value + 1)});
}

bool scan(weft::Communicator& comm) {
  const std::vector<int> input{comm.rank().value + 1};
  std::vector<int> output(1);
  comm.scan(input, output);
  constexpr int sums[] = {1, 3, 6, 10};
  return show(comm, "scan, sum", input, output, {sums[comm.rank().index()]});
}

bool scatter(weft::Communicator& comm) {
  std::vector<char> input, output(1);
  if (comm.rank() == root) input = {'A', 'B', 'C', 'D'};
  comm.scatter(input, output, root);
  return show(comm, "scatter from rank 0", input, output, {char('A' + comm.rank().value)});
}

bool gather(weft::Communicator& comm) {
  const std::vector<char> input{char('A' + comm.rank().value)};
  std::vector<char> output(comm.rank() == root ? comm.ranks() : 0), wanted;
  comm.gather(input, output, root);
  if (comm.rank() == root) wanted = {'A', 'B', 'C', 'D'};
  return show(comm, "gather to rank 0", input, output, wanted);
}

bool all_gather(weft::Communicator& comm) {
  const std::vector<char> input{char('A' + comm.rank().value)};
  std::vector<char> output(comm.ranks());
  comm.all_gather(input, output);
  return show(comm, "all-gather", input, output, {'A', 'B', 'C', 'D'});
}

bool all_to_all(weft::Communicator& comm) {
  std::vector<Parcel> input, output(comm.ranks()), wanted;
  for (std::size_t peer = 0; peer < comm.ranks(); ++peer) {
    input.push_back(parcel(comm.rank().index(), peer));
    wanted.push_back(parcel(peer, comm.rank().index()));
  }
  comm.all_to_all(input, output);
  return show(comm, "all-to-all", input, output, wanted);
}

// As the tokens of a mixture of experts: each rank has another number of parcels for each.
bool all_to_allv(weft::Communicator& comm) {
  const std::size_t own = comm.rank().index();
  std::vector<std::size_t> sent, received;
  std::vector<Parcel> input, wanted;
  for (std::size_t peer = 0; peer < comm.ranks(); ++peer) {
    sent.push_back((own + peer) % 3);
    received.push_back((peer + own) % 3);
    input.insert(input.end(), sent.back(), parcel(own, peer));
    wanted.insert(wanted.end(), received.back(), parcel(peer, own));
  }
  std::vector<Parcel> output(wanted.size());
  comm.all_to_allv(input, sent, output, received);
  return show(comm, "all-to-all-v", input, output, wanted);
}

// Rank 0 comes last, when it has heard by another communicator that the others are waiting.
bool barrier(weft::Communicator& comm) {
  weft::Communicator other = comm.duplicate();
  bool passed_too_early = false;
  if (comm.rank() == weft::Rank{0}) {
    other.barrier();
    comm.barrier();
  } else {
    weft::Request request = comm.barrier_start();
    passed_too_early = request.test();
    other.barrier();
    request.wait();
  }
  return show<int>(comm, "barrier: has anybody passed before rank 0 came? (0: no)", {},
                   {passed_too_early}, {0});
}

}  // namespace

int main() try {
  weft::Communicator comm = weft::Communicator::from_environment();
  if (comm.ranks() != 4) {
    if (comm.rank() == weft::Rank{0})
      std::fprintf(stderr, "this example wants 4 ranks, not %zu: mpirun -n 4 ./collectives\n",
                   comm.ranks());
    return 2;
  }
  bool right = true;
  for (const auto example : {broadcast, reduce, all_reduce, reduce_scatter, scan, scatter, gather,
                             all_gather, all_to_all, all_to_allv, barrier})
    right = example(comm) && right;
  if (comm.rank() == weft::Rank{0}) std::puts(right ? "all as it should be" : "WRONG");
  return right ? 0 : 1;
} catch (const weft::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
