// Small words for errors: "ranks 3, 5-7", "30 s". And a duration as poll(2) wants it.
// Threads: pure functions.
#pragma once
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace weft::bootstrap {

// "rank 3", "ranks 3, 5-7"; the ranks ascending, at least one.
std::string ranks_text(const std::vector<u32>& ranks);
// "30 s", "0.25 s": three significant digits.
std::string seconds_text(Duration duration);
// Rounded up, so that poll does not return a moment before a deadline and spin.
int poll_milliseconds(Duration duration);

}  // namespace weft::bootstrap
