// The processes of the run, as the launcher started them: a communicator of one rank a process,
// over which they agree on ids, times and counts. It is the library's own: no MPI is linked.
//
// Lifetime: from the environment until destroyed, after the communicators under test. Threads: one
// at a time.
#pragma once
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "perf/library.hpp"

namespace weft::perf {

class Processes {
 public:
  static Result<Processes> from_environment();

  int rank() const { return rank_; }
  int size() const { return size_; }

  Status barrier() const;
  Result<double> reduced(double value, weft_op_t op) const;

  // The values of all processes in their order; every process gives equally many.
  template <class T>
  Result<std::vector<T>> gathered(std::span<const T> values) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(values.size() * size_);
    PERF_TRY(gather_bytes(values.data(), all.data(), values.size_bytes()));
    return all;
  }

 private:
  Status gather_bytes(const void* mine, void* all, std::size_t bytes) const;

  Communicator comm_;
  int rank_ = 0, size_ = 1;
};

}  // namespace weft::perf
