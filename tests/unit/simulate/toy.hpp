// A machine of constants without common factors, and the terms that closed forms are made of.
//
// The formulas here and in the tests are derived from README.md of the room by hand; none of them
// calls the simulator. Costs of the progress thread are small beside latencies, so that in the
// schedules at hand no two of them meet.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/simulate_programs.hpp"
#include "simulate/simulate.hpp"

namespace weft::simulate {

inline Machine toy_machine(u64 eager_bytes) {
  Machine m;
  m.intra = {.bandwidth = {7'000'000'000},  // 142 and 6/7 ps a byte: rounding matters
             .latency = 9'000'011,
             .send_overhead = 1'013,
             .receive_overhead = 1'709,
             .gap = 2'003,
             .doorbell = 211,
             .launch = 30'011,
             .signal = 1'301,
             .eager_bytes = eager_bytes};
  m.inter = {.bandwidth = {3'000'000'000},
             .latency = 17'000'003,
             .send_overhead = 907,
             .receive_overhead = 1'103,
             .gap = 3'001,
             .doorbell = 503,
             .launch = 0,
             .signal = 809,
             .eager_bytes = eager_bytes};
  m.issue = 401, m.kernel_launch = 20'011, m.kernel_finish = 10'007;
  m.reduction = {11'000'000'000}, m.copy = {13'000'000'000};
  m.call = 5'000'011, m.frame = 2'017;
  return m;
}
inline constexpr u64 always = u64{1} << 40, never = 0;

// ceil(n / rate) in picoseconds, by another road than Rate::time.
inline Time picoseconds(u64 bytes, u64 bytes_per_second) {
  const u64 whole = bytes / bytes_per_second, rest = bytes % bytes_per_second;
  using Wide = unsigned __int128;
  const Time quotient = Time(Wide(rest) * 1'000'000'000'000u / bytes_per_second);
  const bool exact = Wide(quotient) * bytes_per_second == Wide(rest) * 1'000'000'000'000u;
  return whole * 1'000'000'000'000u + quotient + (exact ? 0 : 1);
}

struct Terms {
  const Machine& m;
  const Link& l;
  Time occupied(u64 n) const {
    return std::max(l.gap, picoseconds(n, l.bandwidth.bytes_per_second));
  }
  Time post() const { return l.send_overhead + l.doorbell; }
  // From the moment a send may issue until its last byte is there, on idle resources.
  Time hop(u64 n) const { return m.issue + post() + l.launch + occupied(n) + l.latency; }
  Time sum(u64 n) const {
    return m.kernel_launch + picoseconds(n, m.reduction.bytes_per_second) + m.kernel_finish;
  }
  Time copy(u64 n) const {
    return m.kernel_launch + picoseconds(n, m.copy.bytes_per_second) + m.kernel_finish;
  }
  Time start() const { return m.call + m.frame; }
  Time acknowledged() const { return l.latency + l.signal; }
};

inline Result<Cast> cast_of(const std::string& algorithm, schedule::Kind kind,
                            const schedule::Shape& shape, const Call& call,
                            Merge merge = Merge::alike) {
  WEFT_ASSIGN(const auto programs, cli::PlanPrograms::make(algorithm, kind, shape));
  return lower(programs, call, merge);
}

// The time of one call of a flat or hierarchical algorithm; whatever it is, its critical path adds
// up to it and no resource is busy for longer.
inline Time time_of(const std::string& algorithm, schedule::Kind kind, const schedule::Shape& shape,
                    const Call& call, const Machine& machine, u32 frames = 1) {
  const auto cast = cast_of(algorithm, kind, shape, call);
  EXPECT_TRUE(cast) << cast.error().text;
  const auto outcome = simulate(*cast, machine, {.frames = frames, .path = true});
  EXPECT_TRUE(outcome) << outcome.error().text;
  Time sum = 0;
  for (Time term : outcome->path) sum += term;
  EXPECT_EQ(sum, outcome->time) << algorithm;
  for (u32 k = 0; k < kinds; ++k) EXPECT_LE(outcome->utilisation(Kind(k)), 1);
  return outcome->time;
}

}  // namespace weft::simulate
