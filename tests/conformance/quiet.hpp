// Counts what a quiet data path must not do: allocate, lock, write.
//
// A test that links quiet.cpp has malloc and its kin, pthread_mutex_lock and write interposed for
// the whole process; a Watch says how often any thread has called them since it was made. Under
// sanitizers, which interpose the same names, nothing is counted and `unavailable` says so.
// Threads: any.
#pragma once
#include "base/types.hpp"

namespace weft::quiet {

struct Calls {
  u64 allocations = 0, locks = 0, writes = 0;
  bool operator==(const Calls&) const = default;
};

// Null where calls are counted, else the reason to skip the test.
const char* unavailable();

class Watch {
 public:
  Watch();
  Calls calls() const;

 private:
  Calls before_;
};

}  // namespace weft::quiet
