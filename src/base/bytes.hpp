// Numbers of bytes as people write them: 65536, 64K, 1G.
//
// Threads: pure functions.
#pragma once
#include <charconv>
#include <optional>
#include <string_view>

#include "base/types.hpp"

namespace weft {

// A whole number, perhaps with one of the units, powers of 1024 in their order; nothing for
// anything else and for more than 64 bits hold.
inline std::optional<u64> parse_bytes(std::string_view text, std::string_view units = "KMG") {
  u64 number = 0, unit = 1;
  const char* const end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && rest + 1 == end) {
    const std::size_t power = units.find(*rest);
    if (power == std::string_view::npos) return std::nullopt;
    unit = u64{1} << 10 * (power + 1);
    ++rest;
  }
  if (error != std::errc() || rest != end || number > ~u64{0} / unit) return std::nullopt;
  return number * unit;
}

}  // namespace weft
