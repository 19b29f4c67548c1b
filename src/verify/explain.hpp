// Words for faults: which rank, which step, which data.
//
// A fault is read by somebody who has the schedule's text form beside him, so steps are named by
// their number in the program and shown as the text form shows them. Threads: pure functions.
#pragma once
#include <span>
#include <string>

#include "schedule/program.hpp"

namespace weft::verify {

struct Layout;

// "input", "output", "plane 0"
std::string name_of(schedule::Buffer buffer);
// "rank 2 step 7 (`send ...`)"
std::string describe(const schedule::Program& program, u32 step);
std::string describe(const Layout& layout, u32 task);
// "0, 3-5 and 7"; long lists end in how many more there are.
std::string list_of(std::span<const u32> sorted);

}  // namespace weft::verify
