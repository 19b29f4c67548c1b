// Is a recorded execution an execution of the programs it says it ran?
//
// Ranks share no clock, so each rank's record is held against its own program: order of lanes,
// waits, overlap, frames. Ranks are tied together by the issue numbers that messages carried: a
// receive retired with exactly the sends that the k-th-meets-k-th rule gives it, both ends saw the
// same emptiness, and all records can be put in one order in which every message is sent before it
// has arrived. Threads: pure.
#pragma once
#include <span>
#include <string>

#include "schedule/trace.hpp"

namespace weft::verify {

struct TraceVerdict {
  std::string fault;  // empty: the records are an execution
  u64 calls = 0, records = 0;

  bool ok() const { return fault.empty(); }
};

// The traces of all ranks of one communicator, in any order. The programs are taken as they are:
// whether they are right is for verify().
TraceVerdict check_trace(std::span<const schedule::RankTrace> traces);

}  // namespace weft::verify
