// The integer names used everywhere, so that a width is read at a glance.
// Lifetime and threads: nothing to say, these are types only.
#pragma once
#include <cstddef>
#include <cstdint>

namespace weft {
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

inline constexpr std::size_t cache_line_bytes = 64;
}  // namespace weft
