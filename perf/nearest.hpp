// Which known word a mistyped one was meant to be. Threads: pure functions.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft::perf {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view from, std::string_view to);

// The first of the nearest words; "" only if there are none.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace weft::perf
