// Scan by recursive doubling: in round k each position exchanges the sum of its aligned interval of
// 2^k positions with its mirror in the neighbouring one.
//
// Who hears from the left puts that sum before its own prefix; so prefixes grow by the binary
// digits of the position, which is the canonical tree, for any number of positions. The sum of an
// interval of 2^k is made where the position 2^k further on exists: nobody else asks for it.
// ceil(log2 g) rounds, the whole vector in each. Sums of intervals alternate between two planes:
// while one is being sent, the next is made in the other. What comes from the left and is needed
// twice lands in a third.
#pragma once
#include "algorithms/place.hpp"
#include "schedule/collective.hpp"

namespace weft::algorithms {

class RecursiveDoublingScan : public Lazy<RecursiveDoublingScan> {
 public:
  RecursiveDoublingScan(schedule::Kind kind, const Place& place)
      : Lazy(place), inclusive_(kind == schedule::Kind::scan) {}

  u32 size(Lane role) const;
  Step at(Role role, u32 i) const;
  Done done() const {
    return {place_.after(receiving, size(receiving)), place_.after(local, size(local))};
  }

 private:
  // What a position does in round k, and how many steps it has made before.
  struct Round {
    u32 k = 0;
    bool from_left = false, from_right = false;  // what it hears
    bool sends = false;
    bool keeps = false;  // makes the sum of the interval of 2^(k+1)
    u32 sent = 0, received = 0, done_locally = 0;

    // A sum from the left that is needed twice.
    bool lands() const { return from_left && keeps; }
    u32 steps(Role role) const {
      if (role == sending) return u32(sends);
      if (role == receiving) return u32(from_left || from_right);
      return lands() ? 2 : 0;
    }
  };
  u32 rounds() const { return log2_ceil(place_.positions); }
  Round round(u32 k, const Round& before) const;
  Round round_of(Role role, u32 i) const;
  // Does the position that many further on need what this one has, directly or through others?
  bool is_needed(u32 distance) const { return place_.me + distance < place_.positions; }
  // Of a scan: position 0's result is its input.
  bool only_copies() const { return inclusive_ && place_.me == 0; }
  bool is_first(const Round& r) const { return (place_.me & ((1u << r.k) - 1)) == 0; }

  Span interval(u32 k) const { return span(k ? Buffer(place_.plane + k % 2) : place_.in); }
  Wait interval_made(const Round& r) const;
  Step hear_left(const Round& r) const;
  Step hear_right(const Round& r) const;
  Step add_to_prefix(const Round& r) const;
  Step add_to_interval(const Round& r) const;
  static Span span(Buffer buffer) { return algorithms::at(buffer, 0); }

  bool inclusive_;
};

}  // namespace weft::algorithms
