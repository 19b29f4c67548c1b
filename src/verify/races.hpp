// Any two accesses to one location, one of them a write, are ordered: for one rank at a time.
//
// A step touches its spans from its issue until it retires, so two steps are ordered when one has
// retired before the other issues. Instances in one frame need no proof of their own: an instance
// starts on a rank when all steps of the one before it have retired there, and a rank's memory is
// touched by its own steps only. Threads: pure; ranks may be proved in parallel.
#pragma once
#include "verify/clocks.hpp"

namespace weft::verify {

Status check_races(const Layout& layout, const Clocks& clocks, u32 rank, bool in_place);

}  // namespace weft::verify
