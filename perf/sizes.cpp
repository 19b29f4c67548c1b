#include "perf/sizes.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace weft::perf {

std::optional<std::size_t> parse_size(const std::string& text) {
  char* rest = nullptr;
  const double number = std::strtod(text.c_str(), &rest);
  if (rest == text.c_str()) return std::nullopt;
  while (std::isspace(static_cast<unsigned char>(*rest))) ++rest;
  double unit = 1;
  switch (std::tolower(static_cast<unsigned char>(*rest))) {
    case '\0': break;
    case 'k': unit = 1024.0; break;
    case 'm': unit = 1024.0 * 1024; break;
    case 'g': unit = 1024.0 * 1024 * 1024; break;
    default: return std::nullopt;
  }
  const double bytes = number * unit;
  if (!(bytes >= 0) || bytes >= 0x1p62) return std::nullopt;
  return static_cast<std::size_t>(bytes);
}

std::optional<std::size_t> next_size(const SizeRange& range, std::size_t size,
                                     std::size_t element_bytes) {
  std::size_t next = 0;
  const bool overflowed =
      range.factor > 1 ? __builtin_mul_overflow(std::max<std::size_t>(size, 1), range.factor, &next)
                       : __builtin_add_overflow(size, range.step, &next);
  if (range.factor > 1 && size == 0) next = element_bytes;
  if (overflowed || next > range.maximum) return std::nullopt;
  return next;
}

SizeRange warmup_range(const SizeRange& range) {
  return {.minimum = range.minimum, .maximum = range.maximum, .step = 0, .factor = 2};
}

}  // namespace weft::perf
