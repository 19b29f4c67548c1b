// A short name for a schedule: 128 bits (XXH3), equal on all machines for equal schedules.
//
// Ranks compare digests when a communicator is made. Bytes are taken lane by lane, little end
// first, so neither the interleaving of lanes in a program nor the machine matters. It guards
// against mistakes, not against malice. Threads: pure functions.
#pragma once
#include <span>
#include <string>

#include "schedule/schedule.hpp"

namespace weft::schedule {

struct Digest {
  u64 high = 0, low = 0;
  std::string hex() const;  // 32 digits
  bool operator==(const Digest&) const = default;
};

Digest digest(const Program& program);
// Of a whole schedule, from those of its programs in the order of ranks: no rank needs them all.
Digest digest(const Collective& collective, const Tiling& tiling, std::span<const Digest> programs);
Digest digest(const Schedule& schedule);

}  // namespace weft::schedule
