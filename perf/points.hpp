// Timed points of contenders that took turns, sorted by how far apart the cores were.
//
// On a virtual machine the distance between two cores changes while a program runs, because the
// host moves them, and it decides what a message through memory costs: a point is worth something
// only together with the distance that held before and after it. Points during which it changed
// are dropped, and a ratio is one of medians within one state. Lifetime: values. Threads: one.
#pragma once
#include <cstddef>
#include <vector>

namespace weft::perf {

// Of the one-way time of a cache line. none: not measured, so all points count as of one state.
enum class State { none, near, mid, far };
constexpr double mid_from_ns = 120, far_from_ns = 400;

State state_of(double nanoseconds);  // 0: none
const char* name_of(State state);

struct StateResult {
  State state = State::none;
  std::vector<double> medians;      // seconds, one a contender
  std::vector<std::size_t> points;  // that each median is of
  std::size_t all_points() const;
  double ratio(std::size_t contender) const { return medians[contender] / medians[0]; }
};

class Points {
 public:
  explicit Points(std::size_t contenders) : contenders_(contenders) {}

  // Distances in nanoseconds, before and after the point.
  void add(std::size_t contender, double seconds, double before, double after);

  // Has one state at least `least` points of every contender?
  bool enough(std::size_t least) const;
  // All such states, the one with most points first.
  std::vector<StateResult> states(std::size_t least) const;
  std::size_t dropped() const { return dropped_; }

 private:
  struct Point {
    std::size_t contender;
    double seconds;
    State state;
  };
  const std::size_t contenders_;
  std::vector<Point> points_;
  std::size_t dropped_ = 0;
};

}  // namespace weft::perf
