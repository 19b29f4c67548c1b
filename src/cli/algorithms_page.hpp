// docs/algorithms.md: the table as a page, with what its programs cost counted and simulated.
#pragma once
#include <string>

#include "base/result.hpp"
#include "simulate/machine.hpp"

namespace weft::cli {

// For each collective its flat algorithms: steps, bytes and order, counted in the programs for 8
// nodes of one rank, and the sizes at which each is the fastest on `machine`, by simulation. Fails
// as the simulator does. Threads: pure.
Result<std::string> algorithms_page(const simulate::Machine& machine);

// "canonical", "fast", "fast; canonical for up to 2 positions"
std::string order_text(u32 canonical_to);

}  // namespace weft::cli
