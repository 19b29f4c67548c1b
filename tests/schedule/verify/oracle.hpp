// What happens before what, the slow and obvious way: a graph of events and its transitive closure.
//
// Shares nothing with the verifier's clocks, so it can judge a mutant that the verifier lets pass.
#pragma once
#include <span>
#include <vector>

#include "schedule/collective.hpp"
#include "schedule/program.hpp"

namespace weft::verify::oracle {

// Two accesses of one rank to one place, one of them a write, that the rank's own edges leave
// unordered.
bool has_race(const schedule::Program& program, const schedule::Collective& collective,
              bool in_place);

// With messages for edges too: has every rank issued something before any rank has ended?
bool is_barrier(std::span<const schedule::Program> programs);

}  // namespace weft::verify::oracle
