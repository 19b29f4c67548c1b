// Sizes on the command line and the walk from the smallest to the largest.
//
// Threads: pure functions.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

namespace weft::perf {

// Bytes of "8", "1.5M", "64 kB" or "2G": a number and a binary unit of which only the first letter
// counts. Nothing for a negative number, another unit, or what does not fit 62 bits.
std::optional<std::size_t> parse_size(const std::string& text);

struct SizeRange {
  std::size_t minimum = 0, maximum = 0;
  std::size_t step = 0;    // bytes, where factor is 1 or less
  std::size_t factor = 1;  // multiplies, where above 1
};

// The size after `size`, or nothing past the maximum. A factor leaves 0 towards one element, so
// that every walk ends.
std::optional<std::size_t> next_size(const SizeRange& range, std::size_t size,
                                     std::size_t element_bytes);

// The walk of the warm-up: the same range, always doubling.
SizeRange warmup_range(const SizeRange& range);

}  // namespace weft::perf
