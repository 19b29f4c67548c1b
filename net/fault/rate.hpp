// A rate in bytes per second, as a token bucket in its virtual-scheduling form: one point in time
// instead of a count of tokens (the generic cell rate algorithm of ITU-T I.371, annex A).
//
// `free_` is when all that went would have left a link of this rate. A post goes if that is at most
// `slack` away: who looks late makes up for it, by a burst of no more than slack times rate and one
// post. A post of any length goes at once on an idle link, and those after it wait the longer.
#pragma once
#include <algorithm>

#include "net/fault/policy.hpp"

namespace weft::fault {

class Rate final : public Policy {
 public:
  static constexpr Duration slack = std::chrono::milliseconds(1);
  static constexpr u64 most = u64{16} << 30;  // a second of it in nanoseconds still fits in 64 bits

  explicit Rate(u64 bytes_per_second) : bytes_per_second_(bytes_per_second) {
    WEFT_ASSERT(bytes_per_second > 0 && bytes_per_second <= most);
  }

  Verdict judge(const Post&, TimePoint now) const override {
    if (free_ <= now + slack) return {};
    return {.fault = Kind::rate, .when = free_ - slack};
  }
  void went(const Post& post, TimePoint now) override {
    free_ = std::max(free_, now) + duration(post.bytes);
  }

 private:
  // Rounded up, so that the rate is never exceeded.
  Duration duration(u64 bytes) const {
    constexpr u64 second = 1'000'000'000;
    const u64 whole = bytes / bytes_per_second_, rest = bytes % bytes_per_second_;
    return Duration(whole * second + (rest * second + bytes_per_second_ - 1) / bytes_per_second_);
  }

  u64 bytes_per_second_;
  TimePoint free_{};
};

}  // namespace weft::fault
