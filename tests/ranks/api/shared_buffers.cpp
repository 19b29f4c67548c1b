// Buffers that peers of the node map: every collective, in place and not, at every place in the
// memory; memory that comes and goes between calls.
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tests/ranks/api/processes.hpp"

namespace weft::testing {
namespace {

// Memory of the library, freed at the end.
class Allocated {
 public:
  explicit Allocated(std::size_t count) {
    void* memory = nullptr;
    good_ = weft_mem_alloc(&memory, count * sizeof(float)) == weft_ok;
    values_ = static_cast<float*>(memory);
  }
  ~Allocated() { free(); }
  void free() { (void)weft_mem_free(std::exchange(values_, nullptr)); }
  float* data() const { return values_; }
  bool good() const { return good_; }

 private:
  float* values_ = nullptr;
  bool good_ = false;
};

float value_of(int rank, std::size_t i) {
  return float(int(i * 5 + std::size_t(rank) * 11) % 97 - 48);  // sums are exact
}
float sum_of(int ranks, std::size_t i) {
  float sum = 0;
  for (int r = 0; r < ranks; ++r) sum += value_of(r, i);
  return sum;
}

bool all_reduce(int rank, int ranks, weft_comm_t comm, float* in, float* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) in[i] = value_of(rank, i);
  if (weft_all_reduce(in, out, count, weft_float32, weft_sum, comm, nullptr) != weft_ok)
    return false;
  for (std::size_t i = 0; i < count; ++i)
    if (out[i] != sum_of(ranks, i)) return false;
  return true;
}

bool scatter_and_gather(int rank, int ranks, weft_comm_t comm, float* all, float* block,
                        std::size_t count) {
  const std::size_t total = count * std::size_t(ranks), mine = count * std::size_t(rank);
  for (std::size_t i = 0; i < total; ++i) all[i] = value_of(rank, i);
  if (weft_reduce_scatter(all, block, count, weft_float32, weft_sum, comm, nullptr) != weft_ok)
    return false;
  for (std::size_t i = 0; i < count; ++i)
    if (block[i] != sum_of(ranks, mine + i)) return false;
  if (weft_all_gather(block, all, count, weft_float32, comm, nullptr) != weft_ok) return false;
  for (std::size_t i = 0; i < total; ++i)
    if (all[i] != sum_of(ranks, i)) return false;
  return true;
}

bool broadcast(int rank, weft_comm_t comm, float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] = value_of(rank, i);
  if (weft_broadcast(values, values, count, weft_float32, 1, comm, nullptr) != weft_ok)
    return false;
  for (std::size_t i = 0; i < count; ++i)
    if (values[i] != value_of(1, i)) return false;
  return true;
}

class SharedBuffers : public ::testing::TestWithParam<const char*> {};

TEST_P(SharedBuffers, GiveTheRightResultsWhereverTheyLie) {
  std::vector<std::string> nodes;
  for (const char* at = GetParam(); *at; ++at) nodes.emplace_back(1, *at);
  const int ranks = int(nodes.size());
  const auto outcomes = fork_ranks(ranks, nodes, [&](int rank, weft_comm_t comm) {
    bool good = true;
    for (const std::size_t count : {1u, 1000u, 5003u, 300007u, 1000u}) {
      // Allocated anew each time, at the same address or another; some ranks have private memory.
      const std::size_t all = count * std::size_t(ranks);
      const Allocated one(all + 7), two(all + 7);
      std::vector<float> other(all + 7);
      float* const private_or_not = rank == 1 ? other.data() : two.data();
      for (const std::size_t shift : {0u, 1u, 7u}) {
        float *const a = one.data() + shift, *const b = private_or_not + shift;
        good &= one.good() && two.good();
        good &= all_reduce(rank, ranks, comm, a, b, count);
        good &= all_reduce(rank, ranks, comm, b, a, count);
        good &= all_reduce(rank, ranks, comm, a, a, count);
        good &= scatter_and_gather(rank, ranks, comm, a, b, count);
        good &= scatter_and_gather(rank, ranks, comm, a, a + std::size_t(rank) * count, count);
        good &= broadcast(rank, comm, a, count);
        if (!good) {
          std::fprintf(stderr, "rank %d: count %zu, shift %zu: %s\n", rank, count, shift,
                       weft_last_error());
          return false;
        }
      }
    }
    return good;
  });
  EXPECT_EQ(outcomes, std::vector<int>(std::size_t(ranks), 0));
}

INSTANTIATE_TEST_SUITE_P(Nodes, SharedBuffers, ::testing::Values("aa", "aaa", "aaaaa", "aabb"));

// What a repeated call may take from the one before: not where memory was that has come anew since,
// at the same address, while a call with a request looked it up in between.
TEST(MadeAnew, MemoryIsNotTakenForWhatLayThere) {
  constexpr std::size_t count = 5003;
  const auto outcomes = fork_ranks(2, {}, [&](int rank, weft_comm_t comm) {
    std::vector<float> between(count);
    std::set<float*> places;
    bool good = true;
    for (int round = 0; round < 20 && good; ++round) {
      const Allocated memory(count);
      places.insert(memory.data());
      weft_request_t request = nullptr;
      good = weft_all_reduce_start(between.data(), between.data(), count, weft_float32, weft_sum,
                                   comm, nullptr, &request) == weft_ok &&
             weft_wait(&request, 60) == weft_ok && memory.good() &&
             all_reduce(rank, 2, comm, memory.data(), memory.data(), count);
    }
    good &= places.size() < 20;  // an address has come back: otherwise nothing was tested
    if (!good) std::fprintf(stderr, "rank %d: %s\n", rank, weft_last_error());
    return good;
  });
  EXPECT_EQ(outcomes, std::vector<int>(2, 0));
}

// A call that differs from the one before in its buffers alone, between memory that peers map and
// memory that they do not, at sizes around every change of protocol; ranks need not do the same.
TEST(Rebound, BuffersComeFromAnywhere) {
  const std::vector<std::string> one_node = {}, two_nodes = {"a", "b"};
  for (const auto& [slots, nodes] : {std::pair("1", one_node), std::pair("4", one_node),
                                     std::pair("1", two_nodes), std::pair("4", two_nodes)}) {
    ::setenv("WEFT_SLOTS", slots, 1);
    const auto outcomes = fork_ranks(2, nodes, [&](int rank, weft_comm_t comm) {
      constexpr std::size_t most = 70000;
      const Allocated shared(2 * most), more(2 * most);
      std::vector<float> own(2 * most);
      float* const places[] = {shared.data(), own.data(), more.data(), own.data() + most};
      bool good = shared.good() && more.good();
      for (const std::size_t count : {1, 100, 120, 1000, 1500, 5000, 20000, 40000, 70000})
        for (std::size_t round = 0; round < 8 && good; ++round) {
          float* const in = places[(round + std::size_t(rank)) % 4];
          float* const out = places[round / 2 % 4];
          good = all_reduce(rank, 2, comm, in, out, count);
        }
      if (!good) std::fprintf(stderr, "rank %d: %s\n", rank, weft_last_error());
      return good;
    });
    EXPECT_EQ(outcomes, std::vector<int>(2, 0)) << slots << " slots, " << nodes.size() << " nodes";
  }
  ::unsetenv("WEFT_SLOTS");
}

// Adopted memory at an offset of its file; a file that could shrink is copied, not mapped.
TEST(Adopted, MemoryIsUsedInPlaceOrCopied) {
  for (const bool is_sealed : {true, false}) {
    const auto outcomes = fork_ranks(2, {}, [&](int rank, weft_comm_t comm) {
      const std::size_t page = std::size_t(::sysconf(_SC_PAGESIZE)),
                        bytes = 600 * page;  // more than a huge page
      const int file = ::memfd_create("adopted", MFD_ALLOW_SEALING);
      bool good = ::ftruncate(file, long(bytes)) == 0;
      if (is_sealed) good &= ::fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0;
      void* memory = nullptr;
      good &= weft_mem_adopt(&memory, file, 3 * page, bytes - 3 * page) == weft_ok;
      ::close(file);
      auto* values = static_cast<float*>(memory);
      for (int i = 0; i < 3; ++i)
        good &= good && all_reduce(rank, 2, comm, values, values, (bytes - 3 * page) / 4);
      good &= weft_mem_free(memory) == weft_ok;
      return good;
    });
    EXPECT_EQ(outcomes, std::vector<int>(2, 0)) << is_sealed;
  }
}

// A rank fails while a peer has not read yet what it was lent, frees the memory and goes on
// calling: the peer hears of the failure, meets neither a hole in its memory nor a broken protocol,
// and leaves alone the output that it was to write its answer to.
TEST(Lent, MemoryMayBeFreedAfterAFailure) {
  std::array<int, 2> late{}, over{};
  ASSERT_EQ(::pipe(late.data()), 0);
  ASSERT_EQ(::pipe(over.data()), 0);
  const auto outcomes = fork_ranks(2, {}, [&](int rank, weft_comm_t comm) {
    constexpr std::size_t count = 100003;
    Allocated in(count), out(count), other(count);
    bool good = all_reduce(rank, 2, comm, in.data(), out.data(), count);
    char token = 0;
    if (rank == 0) {
      weft_request_t request = nullptr;
      good &= weft_all_reduce_start(in.data(), out.data(), count, weft_float32, weft_sum, comm,
                                    nullptr, &request) == weft_ok;
      good &= weft_wait(&request, 0.1) == weft_timed_out;
      in.free();
      for (int i = 0; i < 3; ++i)
        good &= weft_all_reduce(other.data(), out.data(), count, weft_float32, weft_sum, comm,
                                nullptr) == weft_aborted;
      std::fill_n(out.data(), count, -1.0f);
      good &= ::write(late[1], &token, 1) == 1;
      good &= ::read(over[0], &token, 1) == 1;
      return good && std::count(out.data(), out.data() + count, -1.0f) == long(count);
    }
    good &= ::read(late[0], &token, 1) == 1;
    good &= weft_all_reduce(in.data(), out.data(), count, weft_float32, weft_sum, comm, nullptr) !=
            weft_ok;
    good &= ::write(over[1], &token, 1) == 1;
    if (state_of(comm) != weft_timed_out) std::fprintf(stderr, "%s\n", weft_last_error());
    return good && state_of(comm) == weft_timed_out;
  });
  for (const int end : {late[0], late[1], over[0], over[1]}) ::close(end);
  EXPECT_EQ(outcomes, std::vector<int>(2, 0));
}

}  // namespace
}  // namespace weft::testing
