// A schedule as a picture: Graphviz, one cluster a rank, lanes as columns, messages as edges.
//
//   weft verify --dot ... | dot -Tsvg
//
// Threads: a pure function.
#pragma once
#include <iosfwd>

#include "schedule/schedule.hpp"

namespace weft::schedule {

void write_dot(std::ostream& to, const Schedule& schedule);

}  // namespace weft::schedule
