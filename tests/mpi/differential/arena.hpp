// The memory of one call on one rank: where its input and its output lie, what is in them before,
// and what must be in them after.
#pragma once
#include <cstddef>
#include <vector>

#include "case.hpp"

namespace differential {

// Blocks of one buffer, in elements.
struct Side {
  std::vector<std::size_t> count, at;
  std::size_t elements = 0;  // from the first to behind the last
};

// What rank `rank` of `ranks` gives and gets. Without gaps blocks follow one another.
Side input_of(const Case& c, int rank, int ranks);
Side output_of(const Case& c, int rank, int ranks);

class Arena {
 public:
  Arena(const Case& c, int rank, int ranks, int flight);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::byte* input() { return memory_ + input_at_; }
  std::byte* output() { return memory_ + output_at_; }
  // Asks MPI for what the call must give. Collective.
  void expect();
  // Is every byte as it must be? Else what is wrong.
  std::string check() const;

  const Side in, out;

 private:
  void place();
  void fill(int flight);
  bool gets_anything() const;

  const Case case_;
  const int rank_, ranks_;
  const std::size_t element_;
  std::size_t bytes_ = 0, input_at_ = 0, output_at_ = 0;
  std::byte* memory_ = nullptr;
  std::vector<std::byte> expected_;
};

}  // namespace differential
