// Records random executions of programs, without data: for tests of the trace check.
//
// Steps issue and retire whenever the rules let them, in an order that the seed decides. Messages
// are buffered without bound: a receive retires after its sends have issued.
#pragma once
#include <functional>
#include <random>
#include <vector>

#include "schedule/trace.hpp"

namespace weft::verify {

struct RecordedCall {
  schedule::Collective collective;
  std::vector<schedule::Program> programs;
  u64 instances = 1;
  std::function<bool(u64 instance, u32 atom)> is_empty = [](u64, u32) { return false; };
};

std::vector<schedule::RankTrace> record(const std::vector<RecordedCall>& calls, u32 frames,
                                        u64 seed);

}  // namespace weft::verify
