// A rank's timeline as a file, in the JSON trace event format that Chrome and Perfetto read
// ("Trace Event Format", Google, 2016; complete events).
//
// A process is a rank, a thread a lane; steps of one lane that overlap take further rows of it,
// since events of one thread have to nest. Times are microseconds of this host's steady clock; what
// `weft trace merge` needs to align ranks stands in `otherData`, in front of the events. Threads:
// one.
#pragma once
#include <functional>
#include <iosfwd>
#include <string>

#include "executor/timeline.hpp"

namespace weft::runtime {

struct TimelineOf {
  u32 rank = 0, ranks = 1;
  std::string communicator, host, node;
  i64 origin = 0;  // nanoseconds of Clock, at the end of the last exchange of the creation
  std::function<bool(u32 peer)> in_node;
};

void write(std::ostream& to, const TimelineOf& rank, const executor::Timeline& timeline);

}  // namespace weft::runtime
