// The record of an execution: every step a rank issued and retired, in that rank's own order.
//
// The executor writes it (debug), `weft verify --trace` checks that it is an execution of the
// emitted programs. Ranks share no clock: a message carries the issue number of its send, and that
// is all that orders ranks. Threads: one rank's trace belongs to the thread that drives the rank.
#pragma once
#include <iosfwd>
#include <vector>

#include "base/result.hpp"
#include "schedule/collective.hpp"
#include "schedule/program.hpp"

namespace weft::schedule {

struct Record {
  u64 instance = 0;  // counted over all calls of the communicator
  u32 step = 0;      // index in the program's steps
  bool retire = false;
  bool empty = false;  // no element in this slice: no message was exchanged
  // For the retirement of a receive that is not empty: the issue numbers of its sends, in the order
  // of for_each_peer. A rank numbers its own issue records from 0.
  std::vector<u64> sends;
  bool operator==(const Record&) const = default;
};

struct TracedCall {
  u64 first_instance = 0;
  u64 instances = 0;
  Collective collective;
  Program program;
};

struct RankTrace {
  u32 rank = 0;
  u32 frames = 1;  // instance s runs in frame s mod frames
  std::vector<TracedCall> calls;
  std::vector<Record> records;
};

// Text, one line a record; the programs in their text form.
void write(std::ostream& to, const RankTrace& trace);
Result<RankTrace> read_trace(std::istream& from);

}  // namespace weft::schedule
