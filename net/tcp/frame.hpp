// What travels on a socket after the hello: a head, its notice, then the bytes of the put.
//
// The notice comes first so that it lies with the head in one piece and the payload can be read
// straight into its region; it is delivered after the payload. Numbers are in the byte order of the
// hosts, which the hello has found to be the same.
#pragma once
#include "base/types.hpp"
#include "transport/transport.hpp"

namespace weft::tcp {

struct Head {
  enum class Kind : u8 { put = 1, notice = 2 };

  u32 key = 0;
  u16 notice_bytes = 0;
  Kind kind = Kind::put;
  u8 unused = 0;
  u64 offset = 0;
  u64 put_bytes = 0;
};
static_assert(sizeof(Head) == 24);

inline constexpr std::size_t most_head_bytes = sizeof(Head) + transport::max_notice_bytes;

}  // namespace weft::tcp
