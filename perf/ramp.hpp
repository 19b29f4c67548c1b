// The blocks of the uneven collectives: block k of p has k + 1 units, so that the last is p times
// the first, and no two are alike.
//
// In an all-to-all the block from one rank to another is number (from + to) mod p: every rank sends
// and receives the same, in the same places, and every message has another size than its
// neighbours. Threads: pure functions; `Blocks` are the caller's.
#pragma once
#include <cstddef>
#include <vector>

#include "perf/collective.hpp"

namespace weft::perf::ramp {

constexpr std::size_t total(std::size_t ranks) { return ranks * (ranks + 1) / 2; }  // units

// Elements of a unit, so that all blocks together have at most `count`.
inline std::size_t unit_of(std::size_t count, std::size_t element_bytes, std::size_t ranks) {
  return block_elements(count, element_bytes, total(ranks));
}

inline Bandwidth bandwidth(std::size_t unit, std::size_t element_bytes, double seconds, int ranks) {
  return bandwidth_of(unit * total(ranks), element_bytes, seconds, (ranks - 1.0) / ranks);
}

// Counts and places, of any integer: MPI's are int.
template <class Number = std::size_t>
struct Blocks {
  std::vector<Number> counts, places;

  // Block i is number (first + i) mod ranks, one after the other.
  void set(std::size_t unit, std::size_t ranks, std::size_t first = 0) {
    counts.resize(ranks);
    places.resize(ranks);
    std::size_t place = 0;
    for (std::size_t i = 0; i < ranks; ++i) {
      const std::size_t count = unit * ((first + i) % ranks + 1);
      counts[i] = static_cast<Number>(count);
      places[i] = static_cast<Number>(place);
      place += count;
    }
  }
};

// One block a rank, each a stream of its own: rank's own alone, or all of them.
inline void fill_own(const RankData& data, std::byte* send) {
  fill_stream(data.key, data.rank, data.layout.parameter * (data.rank + 1), send);
}
template <class Function>
void for_each_block(const RankData& data, Function&& function) {  // rank, elements, byte
  const std::size_t unit = data.layout.parameter;
  for (int rank = 0; rank < data.key.ranks; ++rank)
    function(rank, unit * (rank + 1),
             unit * data.layout.before(rank) * element_bytes(data.key.type));
}
inline std::size_t wrong_in_all(const RankData& data, const std::byte* received) {
  std::size_t wrong = 0;
  for_each_block(data, [&](int rank, std::size_t count, std::size_t at) {
    wrong += wrong_in_stream(data.key, rank, count, received + at);
  });
  return wrong;
}

// For a call: it makes no memory once a thread has called.
inline const Blocks<>& blocks(std::size_t unit, std::size_t ranks, std::size_t first = 0) {
  thread_local Blocks<> held;
  held.set(unit, ranks, first);
  return held;
}

}  // namespace weft::perf::ramp
