// Which process something belongs to: a child of fork() inherits the memory of communicators, but
// not their threads, and must not touch what its parent shares with peers.
//
// Threads: any. Checking costs one load.
#pragma once
#include <atomic>

#include "base/result.hpp"
#include "base/types.hpp"

namespace weft::runtime {

class ProcessMark {
 public:
  ProcessMark();
  // False in a child of the process that made the mark.
  bool is_here() const { return made_in_ == generation.load(std::memory_order_relaxed); }
  Status check() const { return is_here() ? Status() : foreign(); }

 private:
  static Status foreign();
  static std::atomic<u64> generation;  // goes up with each fork, in the child
  u64 made_in_;
};

}  // namespace weft::runtime
