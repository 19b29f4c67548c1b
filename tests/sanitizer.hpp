// Is this build under a sanitizer? Such runs are many times slower: tests take a sample.
#pragma once

namespace weft {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool under_sanitizer = true;
#else
inline constexpr bool under_sanitizer = false;
#endif

}  // namespace weft
