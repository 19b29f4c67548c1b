// How a rank stands, for a look from outside. Threads: a value.
#pragma once
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "transport/transport.hpp"

namespace weft::executor {

inline constexpr u64 latest_call =
    ~u64{0};  // to be asked about: the oldest under way, else the last

struct Standing {
  u64 made = 0, done = 0;  // calls begun so far; all below this number have ended
  TimePoint published{};   // when somebody who polls last wrote the rest, having been asked
  u64 call = 0;
  std::string called;  // what that call is here; empty: it has not been made, or too long ago
  u64 moved = 0;       // grows while the oldest operation makes headway
  std::vector<transport::Peer> peers;  // that it waits for
  std::string waits;                   // in words
};

}  // namespace weft::executor
