// The node shapes that `weft verify` proves for a number of ranks.
// Threads: pure, but for the dice.
#pragma once
#include <random>
#include <vector>

#include "schedule/shape.hpp"

namespace weft::cli {

inline constexpr u32 most_ranks_in_full = 10;

// Up to 10 ranks all compositions. Beyond: every N x G, the last node short or the first, one node
// of 1 and the rest, and 20 at random. Each shape once, all with one rail, those where the number
// of shards may matter with more, and some with ranks dealt out to the nodes in turn.
std::vector<schedule::Shape> shapes_of(u32 ranks, std::mt19937_64& dice);

}  // namespace weft::cli
