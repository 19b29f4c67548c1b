// How far apart the cores of the first two processes are: the one-way time of a cache line.
//
// The two play ping-pong on a shared page. Processes that are not bound to a core are held for that
// moment where they run, or the second one on another core if both are on one; all others of the
// host nap meanwhile, so that more ranks than cores disturb little. Where there are no two such
// processes or cores, the distance is 0: not known. Lifetime: owns its page; Processes outlives it.
// Threads: one at a time, all processes in step.
#pragma once
#include <cstdint>
#include <memory>

#include "perf/processes.hpp"

namespace weft::perf {

class Distance {
 public:
  // Collective over the processes.
  static Result<Distance> create(const Processes& processes);

  // Nanoseconds, the same on all processes. Collective.
  Result<double> measure();

 private:
  struct Page;
  struct Unmap {
    void operator()(Page* page) const;
  };
  enum class Part { ping, pong, naps, elsewhere };

  explicit Distance(const Processes& processes) : processes_(&processes) {}
  double play();
  double ping(int cpu);
  void pong();

  const Processes* processes_;
  std::unique_ptr<Page, Unmap> page_;  // null: nothing to measure
  Part part_ = Part::elsewhere;
  std::uint32_t generation_ = 0;
};

}  // namespace weft::perf
