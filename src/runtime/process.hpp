// Which process something belongs to: a child of fork() inherits the memory of communicators, but
// not their threads, and must not touch what its parent shares with peers.
//
// Threads: any. Checking costs one load.
#pragma once
#include "base/result.hpp"
#include "base/types.hpp"

namespace weft::runtime {

class ProcessMark {
 public:
  ProcessMark();
  Status check() const;  // invalid_argument in a child of the process that made the mark

 private:
  u64 generation_;
};

}  // namespace weft::runtime
