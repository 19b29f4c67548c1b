// Which stores bring bytes into memory that a peer reads: ordinary ones, or streaming ones past the
// caches.
//
// The peer has read the lines of a slot, so its core holds them, and an ordinary store must ask for
// each. How long that takes is the distance between the two cores, which differs between machines
// and, where a hypervisor moves cores about, from second to second. As a rule ordinary stores win,
// since the peer then reads from a cache: also where they cost the writer three or four times
// as much. Between distant cores they can cost eight times as much, and lose. (Seen on AMD Zen 4,
// by hand; on an Intel Xeon they won everywhere. The two thresholds lie in between.) So copies are
// timed, now and then a few of each kind in turns, of which the best count, since any may be
// interrupted. Two such trials running move the choice. Threads: one at a time.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>

#include "base/types.hpp"

namespace weft::shm {

class StoreChoice {
 public:
  static constexpr std::size_t least_bytes = 16384;  // worth two looks at the clock
  static constexpr u32 period = 1024;                // copies from one trial to the next
  static constexpr u32 trial_copies = 6;             // every second one of the other kind
  // How many times the rate of ordinary stores streaming ones must have to be taken, and to stay.
  static constexpr double to_stream = 5, to_stay = 4;

  struct Copy {
    bool streams = false, timed = false;
  };
  // How to make the next copy of least_bytes or more.
  Copy next() {
    const u32 place = copies_++ % period;
    if (place < period - trial_copies) return {.streams = streams_};
    return {.streams = streams_ != (place % 2 == 1), .timed = true};
  }
  // What a timed copy took; before the next one.
  void took(Copy copy, std::size_t bytes, u64 nanoseconds) {
    best_[copy.streams] = std::max(best_[copy.streams], double(bytes) / double(nanoseconds + 1));
    if (copies_ % period == 0) judge();
  }
  bool streams() const { return streams_; }

 private:
  void judge() {
    const bool wins = best_[true] >= (streams_ ? to_stay : to_stream) * best_[false];
    best_ = {};
    votes_ = wins != streams_ ? votes_ + 1 : 0;
    if (votes_ < 2) return;
    streams_ = wins;
    votes_ = 0;
  }

  bool streams_ = false;
  u32 copies_ = 0, votes_ = 0;
  std::array<double, 2> best_{};  // bytes a nanosecond in this trial: ordinary, streaming
};

}  // namespace weft::shm
