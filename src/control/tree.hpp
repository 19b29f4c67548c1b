// The tree of a job's processes: whose child a process is, also after others have been lost.
//
// Binomial over process numbers, so a parent's number is below its child's and nothing can become a
// ring. Who has lost his parent tries his other ancestors, nearest first, then whoever is below
// him; if nobody is, he is the root. Threads: pure functions.
#pragma once
#include <optional>

#include "base/types.hpp"

namespace weft::control {

constexpr u32 parent_of(u32 process) { return process & (process - 1); }

// The first possible parent of `process` that fits, in the order above.
template <class Fits>
std::optional<u32> first_parent(u32 process, Fits fits) {
  for (u32 at = process; at != 0;)
    if (at = parent_of(at); fits(at)) return at;
  for (u32 other = 1; other < process; ++other)
    if (fits(other)) return other;  // ancestors among them do not, or they would have above
  return std::nullopt;
}

}  // namespace weft::control
