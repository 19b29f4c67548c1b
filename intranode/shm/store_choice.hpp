// Which stores bring bytes into memory that a peer reads: ordinary ones, or streaming ones past the
// caches.
//
// The peer has read the lines of a slot, so its core holds them, and an ordinary store must ask for
// each. How long that takes is the distance between the two cores, which differs between machines
// and, where a hypervisor moves cores about, from second to second. As a rule ordinary stores win,
// since the peer then reads from a cache: also where they cost the writer twice or three times as
// much (cores that share a cache: 6 to 10 GB/s against 27 to 32). Between distant cores they fall
// to an eighth of streaming ones, 1.8 against 14 GB/s, and lose. (Both on AMD Zen 4.) So copies are
// timed, now and then one of each kind, and what is several times as fast twice running is taken
// from then on. Threads: one at a time.
#pragma once
#include <cstddef>
#include <utility>

#include "base/types.hpp"

namespace weft::shm {

class StoreChoice {
 public:
  static constexpr std::size_t least_bytes = 16384;  // worth two looks at the clock
  static constexpr u32 several = 5;

  struct Copy {
    bool streams = false, timed = false;
  };
  // How to make the next copy of least_bytes or more.
  Copy next() {
    const u32 place = copies_++ % period;
    const bool is_trial = place == period - 1;
    return {.streams = streams_ != is_trial, .timed = place >= period - 2};
  }
  // A timed copy, those that next() gave in its order.
  void took(Copy copy, std::size_t bytes, u64 nanoseconds) {
    const double rate = double(bytes) / double(nanoseconds + 1);
    if (copy.streams == streams_) {
      rate_ = rate;
      return;
    }
    votes_ = rate >= several * rate_ ? votes_ + 1 : 0;
    if (votes_ < 2) return;
    streams_ = !streams_;
    votes_ = 0;
  }
  bool streams() const { return streams_; }

 private:
  static constexpr u32 period = 512;
  bool streams_ = false;
  u32 copies_ = 0, votes_ = 0;
  double rate_ = 0;  // of the last timed copy of the kind in use
};

}  // namespace weft::shm
