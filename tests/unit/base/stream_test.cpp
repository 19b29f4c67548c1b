// Streamed copies: every byte of any length at any alignment, and none beside them.
#include "base/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace weft {
namespace {

TEST(StreamCopy, CopiesWhatItIsGivenAndNothingElse) {
  constexpr std::size_t room = 1024;
  std::vector<std::byte> source(room);
  for (std::size_t i = 0; i < room; ++i) source[i] = std::byte(i * 7 % 251);
  for (const std::size_t from : {0u, 1u, 4u, 63u})
    for (const std::size_t to : {0u, 1u, 4u, 60u, 63u, 64u})
      for (const std::size_t bytes : {0u, 1u, 63u, 64u, 65u, 127u, 128u, 300u, 512u}) {
        std::vector<std::byte> target(room, std::byte{0xee}), expected = target;
        stream_copy(target.data() + to, source.data() + from, bytes);
        stream_fence();
        std::copy_n(source.begin() + long(from), bytes, expected.begin() + long(to));
        ASSERT_EQ(target, expected) << bytes << " bytes from " << from << " to " << to;
      }
}

}  // namespace
}  // namespace weft
