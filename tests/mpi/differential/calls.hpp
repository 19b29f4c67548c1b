// The calls of a case on Weft.
#pragma once
#include <memory>

#include "arena.hpp"

namespace differential {

// Makes all calls of the case on their arenas and waits for them; empty, or what went wrong.
std::string make_calls(const Case& c, weft_comm_t comm, int rank, int ranks,
                       std::vector<std::unique_ptr<Arena>>& arenas);

}  // namespace differential
