// What makes a plan short: bits instead of lanes.
//
// Threads: pure functions.
#pragma once
#include "executor/plan.hpp"

namespace weft::executor {

// Requires one slice of 1 to 64 steps. Messages of up to `most_inline_bytes` are one item.
void make_short(Plan& plan, u64 most_inline_bytes);

}  // namespace weft::executor
