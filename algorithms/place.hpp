// Where a generator puts its steps, and the cursor that walks them.
//
// A generator is a small value that knows one algorithm on one level for one position. It neither
// knows nor cares whether it is the whole algorithm or one phase of another: its Place names the
// level, the lanes, the port and the buffers, and its Done says when its result is there. Any step
// can be had alone (`at`), so `next` needs no memory but three counters. Threads: values.
#pragma once
#include "base/result.hpp"
#include "schedule/step.hpp"

namespace weft::algorithms {

using schedule::Buffer;
using schedule::Lane;
using schedule::Span;
using schedule::Step;
using schedule::Verb;
using schedule::Wait;

// A generator has up to three lanes, first of them Place::lane: channels demand that all sends to a
// peer share one lane and all receives another, and local work must not hold up either.
enum Role : Lane { sending = 0, receiving = 1, local = 2 };
inline constexpr Lane roles = 3;

inline Span at(Buffer buffer, u32 first, u32 stride = 0) {
  return {.first = first, .buffer = buffer, .stride = u8(stride)};
}

// A block of all-to-all, by positions.
struct Pair {
  u32 to, from;
};

struct Place {
  u32 positions = 1, me = 0, chunks = 1;
  u32 root = 0;                   // of the collectives that have one
  bool own = true;                // all-to-all: the own block is moved, too
  u32 before[roles] = {0, 0, 0};  // steps that stand on the lanes already: joins of a composition
  // The input is complete under this wait; empty: from the start, or from the joins at the head of
  // the lanes.
  Wait ready;
  // Another phase reads the input until then: the copy to out waits for it, since out may be in.
  Wait freed;
  Lane lane = 0;  // of Role::sending; the others follow
  u8 port = 0, level = 0;
  Buffer plane = schedule::first_plane;  // first scratch plane that is free
  Buffer in = schedule::input, work = schedule::output, out = schedule::output;

  Lane lane_of(Role role) const { return Lane(lane + role); }
  // The wait for the first `steps` steps of this generator on one of its lanes; none for 0.
  Wait after(Role role, u32 steps) const {
    return steps ? Wait{lane_of(role), before[role] + steps} : Wait{};
  }

  Step send(u32 peer, Span source, u32 count, Wait wait = {}, u32 fan = 1) const {
    Step s = step(Verb::send, sending, count, wait);
    s.source = source, s.peer = peer, s.fan = u16(fan);
    return s;
  }
  Step recv(u32 peer, Span target, u32 count, Wait wait = {}, Wait also = {}) const {
    Step s = step(Verb::recv, receiving, count, wait, also);
    s.target = target, s.peer = peer;
    return s;
  }
  // Lower positions stand on the left, so the local operand is on the right of a lower peer's. With
  // a fan the positions themselves give the order.
  Step recv_reduce(u32 peer, Span target, Span source, u32 count, Wait wait = {},
                   Wait also = {}) const {
    Step s = step(Verb::recv_reduce, receiving, count, wait, also);
    source.right = peer < me;
    s.target = target, s.source = source, s.peer = peer;
    return s;
  }
  Step recv_reduce_fan(Span target, Span source, u32 count) const {
    Step s = step(Verb::recv_reduce, receiving, count, {});
    s.target = target, s.source = source, s.fan = u16(positions);
    return s;
  }
  Step copy(Span target, Span source, u32 count, Wait wait = {}, Wait also = {}) const {
    Step s = step(Verb::copy, local, count, wait, also);
    s.target = target, s.source = source;
    return s;
  }
  Step reduce(Span target, Span left, Span right, u32 count, Wait wait, Wait also) const {
    Step s = step(Verb::reduce, local, count, wait, also);
    s.target = target, s.source = left, s.second = right;
    return s;
  }

 private:
  Step step(Verb verb, Role role, u32 count, Wait wait, Wait also = {}) const {
    Step s;
    s.verb = verb, s.lane = lane_of(role), s.port = port, s.level = level, s.count = count;
    // One wait stands first, so that equal programs have equal text.
    s.set_wait(0, wait.valid() ? wait : also);
    s.set_wait(1, wait.valid() ? also : Wait{});
    return s;
  }
};

// The result is there when both hold; an empty one holds always.
struct Done {
  Wait first, second;
  bool valid() const { return first.valid() || second.valid(); }
};

// What every generator shares. `Steps` gives size(lane), lane being a Role, and at(role, i).
template <class Steps>
class Lazy {
 public:
  explicit Lazy(const Place& place) : place_(place) {}
  const Place& place() const { return place_; }

  // The next step, false at the end. Steps come in an order in which each follows those it waits
  // for, the shortest lane first: a reader can follow it, and a simulator can rely on it.
  bool next(Step& step) {
    const auto& steps = static_cast<const Steps&>(*this);
    Lane best = roles;
    for (Lane role = 0; role < roles; ++role) {
      if (made_[role] == steps.size(role)) continue;
      if (best != roles && made_[role] >= made_[best]) continue;
      const Step candidate = steps.at(Role(role), made_[role]);
      if (!holds(candidate.wait(0)) || !holds(candidate.wait(1))) continue;
      best = role, step = candidate;
    }
    if (best == roles) return false;
    ++made_[best];
    return true;
  }

 protected:
  Place place_;

 private:
  // Waits on other generators' lanes are theirs to keep: they come earlier in a composition.
  bool holds(Wait wait) const {
    if (!wait.valid() || wait.lane < place_.lane || wait.lane >= place_.lane + roles) return true;
    const Lane role = Lane(wait.lane - place_.lane);
    return place_.before[role] + made_[role] >= wait.steps;
  }

  u32 made_[roles] = {0, 0, 0};
};

inline u32 log2_floor(u32 n) { return 31u - u32(__builtin_clz(n)); }
inline u32 log2_ceil(u32 n) { return n <= 1 ? 0 : 1 + log2_floor(n - 1); }
inline bool is_power_of_two(u32 n) { return n && !(n & (n - 1)); }

}  // namespace weft::algorithms
