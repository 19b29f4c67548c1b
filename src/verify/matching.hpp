// Who exchanges with whom: the k-th send of a channel meets its k-th receive.
//
// A channel is (sender, receiver, port). There are no tags, so the pairing is a property of the
// programs and not of a run; both ends must name the same atoms in the same order, and each end
// must be on one lane, or "k-th" would mean nothing. Threads: pure.
#pragma once
#include <vector>

#include "verify/layout.hpp"

namespace weft::verify {

// Beside Layout::peer, entry by entry: the task at the other end.
using Mates = std::vector<u32>;

Result<Mates> match(const Layout& layout);

inline std::span<const u32> mates_of(const Mates& mates, const Task& t) {
  return {mates.data() + t.first_peer, t.peer_count};
}

}  // namespace weft::verify
