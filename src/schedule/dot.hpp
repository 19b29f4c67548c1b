// A schedule as a picture: Graphviz text for `dot -Tsvg`, one cluster a rank, lanes as columns,
// lane order and waits (dashed) and messages (blue) as edges.
//
// Threads: a pure function.
#pragma once
#include <iosfwd>

#include "schedule/schedule.hpp"

namespace weft::schedule {

void write_dot(std::ostream& to, const Schedule& schedule);

}  // namespace weft::schedule
