// The name somebody probably meant: so that a typing error ends in an answer.
// Threads: pure.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/types.hpp"

namespace weft::cli {

// How many letters to insert, delete, replace or swap with a neighbour to get from a to b.
u32 edit_distance(std::string_view a, std::string_view b);

// The closest of `names`, or nothing when none is close: a third of the word may be wrong.
std::string nearest(std::string_view word, std::span<const std::string> names);

// "; did you mean ring?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> names);

}  // namespace weft::cli
