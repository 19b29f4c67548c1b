// Time for deadlines and reports: the monotonic clock, in nanoseconds.
#pragma once
#include <algorithm>
#include <chrono>

#include "base/types.hpp"

namespace weft {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;
using Duration = std::chrono::nanoseconds;

// A point in time after which a wait ends with Code::timed_out. `never()` is for tests and tools
// only: every wait of the library has an end.
struct Deadline {
  TimePoint at = TimePoint::max();
  static Deadline never() { return {}; }
  static Deadline after(Duration d) { return {Clock::now() + d}; }
  bool passed() const { return at != TimePoint::max() && Clock::now() >= at; }
  // What is left, at least zero and at most `most`: fits poll(2) and futex(2).
  Duration left(Duration most = std::chrono::hours(1)) const {
    if (at == TimePoint::max()) return most;
    return std::clamp<Duration>(at - Clock::now(), Duration::zero(), most);
  }
};

// Seconds as users give them; more than thirty years are as good as that, and fit in nanoseconds.
inline Deadline in_seconds(double seconds) {
  const double most = 1e9;
  return Deadline::after(std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(seconds < most ? seconds : most)));
}

}  // namespace weft
