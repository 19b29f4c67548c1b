// Random bits by counter: bit patterns are computed from a key and an index, never stored, so that
// every rank can say what every element is. Threads: pure functions.
#pragma once
#include <cstdint>

namespace weft::perf {

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): a bijection with full avalanche.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;

constexpr std::uint64_t stream_key(std::uint64_t seed, std::uint64_t stream) {
  return mixed(mixed(seed + golden) + stream);
}

constexpr std::uint64_t bits_at(std::uint64_t key, std::uint64_t index) {
  return mixed(key + (index + 1) * golden);
}

// 64 random bits as a number in [0, range); range >= 1.
constexpr std::uint64_t scaled(std::uint64_t bits, std::uint64_t range) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits) * range) >> 64);
}

}  // namespace weft::perf
