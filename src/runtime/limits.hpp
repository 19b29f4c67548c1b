// What the system allows this process, against what a rank of a job needs.
//
// Looked at when a communicator is made, before anything is opened: a limit that is too low ends in
// fewer resources where that is possible, and in one line that says how to raise it, never in a
// job that hangs or fails later. Nothing is locked in memory and no file lies in /dev/shm, so the
// limits on those do not matter. Threads: any; values.
#pragma once
#include <string>
#include <vector>

#include "base/types.hpp"

namespace weft::runtime {

inline constexpr u64 unlimited = ~u64{0};

struct Limits {
  u64 files_open = 0, files_allowed = unlimited, files_most = unlimited;  // now, and if raised
  u64 threads = 0, threads_allowed = unlimited;                           // of the control group
  u64 address_space = 0, address_space_allowed = unlimited;               // bytes
};
// What cannot be read counts as unlimited.
Limits read_limits();

struct Provision {
  u64 sockets = 1;                 // for each peer of tcp
  u64 files = 0;                   // that have to be allowed
  std::vector<std::string> words;  // one for each limit that is too low
};
// For a rank of so many, which would like `sockets` for each peer.
Provision provide(const Limits& limits, u32 ranks, u64 sockets);

// Lets the process open so many files, if it may.
void allow_files(u64 files);

}  // namespace weft::runtime
