// A whole schedule: every rank's program, how the data is cut, and what is promised.
//
// Threads: immutable once made.
#pragma once
#include <vector>

#include "schedule/collective.hpp"
#include "schedule/partition.hpp"
#include "schedule/program.hpp"

namespace weft::schedule {

struct Schedule {
  Collective collective;
  Tiling tiling;
  std::vector<Program> programs;  // in the order of ranks

  bool operator==(const Schedule&) const = default;
};

}  // namespace weft::schedule
