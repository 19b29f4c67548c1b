#include "base/stream.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/types.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace weft {

#ifdef __SSE2__

namespace {

// The four stores of a line leave as one: the processor gathers them in a buffer of its own.
// Wider vectors were not faster where it counts, in copies that do not fit the caches.
void stream_line(std::byte* target, const std::byte* source) {
  const auto* const from = reinterpret_cast<const __m128i*>(source);
  auto* const to = reinterpret_cast<__m128i*>(target);
  const __m128i a = _mm_loadu_si128(from), b = _mm_loadu_si128(from + 1);
  const __m128i c = _mm_loadu_si128(from + 2), d = _mm_loadu_si128(from + 3);
  _mm_stream_si128(to, a);
  _mm_stream_si128(to + 1, b);
  _mm_stream_si128(to + 2, c);
  _mm_stream_si128(to + 3, d);
}

}  // namespace

void stream_copy(std::byte* target, const std::byte* source, std::size_t bytes) {
  static_assert(cache_line_bytes == 4 * sizeof(__m128i));
  const std::size_t askew = (0 - reinterpret_cast<std::uintptr_t>(target)) % cache_line_bytes;
  std::size_t at = std::min(askew, bytes);
  std::memcpy(target, source, at);
  for (; bytes - at >= cache_line_bytes; at += cache_line_bytes)
    stream_line(target + at, source + at);
  std::memcpy(target + at, source + at, bytes - at);
}

// Streaming stores are not ordered with later ones, not even with one that releases.
void stream_fence() { _mm_sfence(); }

#else

void stream_copy(std::byte* target, const std::byte* source, std::size_t bytes) {
  std::memcpy(target, source, bytes);
}

void stream_fence() {}  // ordinary stores: releasing is enough

#endif

}  // namespace weft
