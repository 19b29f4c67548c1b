// The classic collectives on 4 ranks. Each is shown as a table, by rank 0, and checked by all.
//
//   mpirun -n 4 ./collectives
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>
#include <weft/weft.hpp>

namespace {

template <class T>
std::string text_of(const std::vector<T>& row) {
  std::ostringstream text;
  for (const T& value : row) text << (&value == row.data() ? "" : " ") << value;
  return text.str();
}

// The rows of all ranks, one after the other.
template <class T>
std::vector<std::vector<T>> rows_of_all(weft::Communicator& comm, const std::vector<T>& row) {
  std::vector<T> all(comm.ranks() * row.size());
  comm.all_gather(row, all);
  std::vector<std::vector<T>> rows;
  for (std::size_t rank = 0; rank < comm.ranks(); ++rank) {
    const auto block = comm.block(all, weft::Rank{int(rank)});
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
  if (comm.rank() == weft::Rank{0}) row = {1, 2, 3};
  const auto before = row;
  comm.broadcast(row, weft::Rank{0});
  return show(comm, "broadcast from rank 0", before, row, {1, 2, 3});
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

bool all_gather(weft::Communicator& comm) {
  const std::vector<char> input{char('A' + comm.rank().value)};
  std::vector<char> output(comm.ranks());
  comm.all_gather(input, output);
  return show(comm, "all-gather", input, output, {'A', 'B', 'C', 'D'});
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
  for (const auto example : {broadcast, all_reduce, reduce_scatter, all_gather, barrier})
    right = example(comm) && right;
  if (comm.rank() == weft::Rank{0}) std::puts(right ? "all as it should be" : "WRONG");
  return right ? 0 : 1;
} catch (const weft::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
