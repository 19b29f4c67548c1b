// A benchmark from its command line to its exit code.
#pragma once
#include "perf/collective.hpp"

namespace weft::perf {

// Called once, from main.
int run_tool(const Collective& collective, int count, char** words);

}  // namespace weft::perf
