// Times a call: the programs that run, on a machine of numbers, event by event.
//
// The rules of lanes, waits, channels, fans, empty messages, instances and frames are those of
// src/schedule/README.md; what each of them costs is in README.md beside this file. Deterministic
// and exact: whole picoseconds, no randomness, no floating point. Threads: pure functions.
#pragma once
#include <array>

#include "simulate/cast.hpp"
#include "simulate/path.hpp"

namespace weft::simulate {

enum class Kind : u8 { intra_send, intra_receive, inter_send, inter_receive, memory, progress };
inline constexpr u32 kinds = 6;
const char* name_of(Kind kind);

struct Outcome {
  Time time = 0;  // until the last step of the last instance has retired
  u64 events = 0;
  std::array<Time, kinds> busy{};  // summed over all resources of a kind
  std::array<u64, kinds> many{};   // how many of them the machine has
  std::array<Time, terms> path{};  // adds up to `time`; zeros unless asked for
  u32 frame_waits = 0;             // on the path
  double utilisation(Kind kind) const;
};

struct Options {
  u32 frames = 1;
  bool path = false;  // 16 bytes an event
};

// What the busiest port alone takes: no time is below it, with this cast's slices.
Time busiest_port(const Cast& cast, const Machine& machine);

// Fails on a deadlock, and where the call has more instances, messages or actors than counters
// hold.
Result<Outcome> simulate(const Cast& cast, const Machine& machine, const Options& options);

}  // namespace weft::simulate
