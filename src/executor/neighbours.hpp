// Whether a core that was yielded comes back soon, judged by how long yields take.
//
// Ranks that wait give it back within microseconds. A process that computes keeps it for a slice of
// some milliseconds, each time anew; but whoever sleeps instead is put ahead of it when woken. So
// where such slices eat a good part of the time it is better to sleep for a while, although that
// costs tens of microseconds when nobody competes. The while doubles as long as the first yields
// after it are no shorter.
// Threads: one thread's own.
#pragma once
#include <algorithm>

#include "base/clock.hpp"

namespace weft::executor {

class Neighbours {
 public:
  // Below the slices of Linux, some milliseconds, and above the turns of ranks that move messages.
  // This and the numbers below were chosen on two cores, with four and eight ranks and a process
  // that computes on each core.
  static constexpr Duration long_turn = std::chrono::milliseconds(2);
  // Lost to long turns beyond a quarter of the time. A rank that is just starting takes less.
  static constexpr Duration most_lost = std::chrono::milliseconds(10);
  static constexpr Duration shortest = std::chrono::milliseconds(8),
                            longest = std::chrono::milliseconds(512);

  void yielded(TimePoint began, TimePoint ended) {
    if (ended - began < long_turn) return;
    if (began < until_ + period_) {  // still there
      period_ = std::min(2 * period_, longest);
    } else {
      lost_ = std::max(Duration{0}, lost_ - (began - last_) / 4) + (ended - began);
      last_ = ended;
      if (lost_ < most_lost) return;
      lost_ = Duration{0};
      period_ = shortest;
    }
    until_ = ended + period_;
  }
  bool compete(TimePoint now) const { return now < until_; }

 private:
  Duration lost_{0}, period_{0};
  TimePoint last_{}, until_{};
};

}  // namespace weft::executor
