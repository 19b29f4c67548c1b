// All threads of all processes: barriers and reductions across both, and the common end when one
// of them fails.
//
// Threads of a process meet under a lock; the last to arrive speaks to the other processes for all.
// A thread that fails abandons the team, so that the others leave their next meeting with a failure
// instead of waiting for it. Lifetime: outlives its threads. Threads: any, each with its own index.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "perf/processes.hpp"

namespace weft::perf {

enum class Combine { rank0 = 0, average = 1, minimum = 2, maximum = 3, sum = 4 };

class Team {
 public:
  Team(const Processes& processes, int threads)
      : processes_(processes), threads_(threads), values_(threads) {}

  Status barrier();
  // `rank0` is the value of this process's thread 0: each process sees its own.
  Result<double> combined(int thread, double value, Combine how);
  // For each process the element-wise maximum over its threads, one row after the other.
  Result<std::vector<double>> process_maxima(std::span<const double> values);
  // What one thread of each process measures while the others wait; `measure` gives all processes
  // the same.
  Result<double> measured(const std::function<Result<double>()>& measure);

  void abandon(const Failure& failure);

 private:
  Status meet(const std::function<void()>& bring, const std::function<Status()>& finish);
  Result<double> finish_combined(Combine how) const;

  const Processes& processes_;
  const int threads_;
  std::mutex mutex_;
  std::condition_variable met_;
  int arrived_ = 0;
  unsigned long meetings_ = 0;
  std::optional<Failure> failure_;
  std::vector<double> values_;   // one a thread
  std::vector<double> maxima_;   // over the threads so far
  std::vector<double> results_;  // of the last meeting
};

}  // namespace weft::perf
