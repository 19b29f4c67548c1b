// The schedules a collective may take on these nodes, as `weft algorithms` lists them.
//
// The tools know the library by its public header alone, and that has no list; the tool that has
// one lies beside them. Threads: one.
#pragma once
#include <string>
#include <vector>

#include "perf/collective.hpp"

namespace weft::perf {

struct Candidate {
  std::string name;
  std::string order;  // that its sums keep; "" for a collective that does not reduce
};

// "all_reduce", as the tool and the header spell it.
const char* word_of(weft_collective_t kind);

// Lines of kind, name and order; lines of other kinds are left out.
std::vector<Candidate> parse_candidates(const std::string& text, weft_collective_t kind);

// The text of `weft algorithms --kind KIND --nodes SHAPE`, by the tool in this program's folder or
// the one above.
Result<std::string> list_of_candidates(weft_collective_t kind, const std::string& shape);

}  // namespace weft::perf
