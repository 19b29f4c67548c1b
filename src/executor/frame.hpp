// Where one instance of a program runs: the state of its lanes, steps and messages, and its
// scratch.
//
// A frame is reused by instance after instance and grows only when a larger plan comes, so a
// repeated call allocates nothing. Threads: those of the engine.
#pragma once
#include <bit>

#include "base/handle.hpp"
#include "executor/operation.hpp"

namespace weft::executor {

struct LaneState {
  u32 issued = 0, retired = 0;  // steps
};

// How far one message of a step in flight has come; a receive with a fan keeps one for all its
// messages.
struct EndState {
  u64 moved = 0;       // bytes
  u64 run_offset = 0;  // in the current run
  u32 run = 0;
  u32 pending = 0;  // puts whose source is not free yet
  u64 ticket = 0;   // its turn on the channel
  u64 release = 0;  // lent: free once this many items are credited
  u32 issue = 0;    // number of the step's issue, when executions are recorded
  // Of an answer, set before its step issues: a send's bytes are in place already; a receive's may
  // be, since its place went out with a loan.
  bool placed = false;
};

struct Frame {
  Operation* operation = nullptr;  // nullptr: the frame is free
  const Plan* plan = nullptr;
  u64 slice = 0, instance = 0;
  Plan::Kind kind = Plan::tail;
  u8 index = 0;
  // Where this slice's input and output are, by schedule::Buffer, and how they are laid out: as the
  // caller's, or as a scratch plane where they are images.
  std::array<const std::byte*, schedule::first_plane> window{};
  std::array<channel::Layout, schedule::first_plane> layouts{};
  std::array<Shared, schedule::first_plane> shared{};
  Mapping scratch;

  std::vector<LaneState> lanes;
  std::vector<u8> step_done;
  std::vector<EndState> ends;
  // Of a short plan all of this is one: a step of it may be able to do something.
  LaneSet dirty{};  // lanes that may be able to do something
  LaneSet later{};  // lanes whose transport was busy: dirty again at the next poll
  u32 unfinished_lanes = 0;
  // Of a short plan: steps, a bit each; lanes are then kept for a tracer only. Held: what was
  // received is still in its slot.
  u64 begun = 0, done = 0, held = 0;

  void make_room(const PlanSize& size) {
    lanes.reserve(size.lanes);
    step_done.resize(size.steps);
    ends.resize(size.ends);
  }

  void spread_steps();  // of a short plan: what the masks say, as lanes and steps say it

  int take_dirty() {  // -1: none
    for (u32 word = 0; word < dirty.size(); ++word)
      if (dirty[word]) {
        const int lane = std::countr_zero(dirty[word]);
        dirty[word] &= dirty[word] - 1;
        return int(word * 64) + lane;
      }
    return -1;
  }

  const Extents& extents(const LoweredStep& s) const { return s.extents[kind]; }
  std::span<const channel::Run> runs(const LoweredStep& s) const {
    return std::span(plan->runs).subspan(extents(s).first_run, extents(s).runs);
  }
  std::byte* plane(u32 number) const { return scratch.bytes().data() + number * plan->plane_bytes; }
  channel::Layout layout_of(schedule::Buffer buffer) const {
    return buffer >= schedule::first_plane ? channel::Layout::plane : layouts[buffer];
  }
  const std::byte* base(schedule::Buffer buffer) const {
    return buffer < schedule::first_plane ? window[buffer] : plane(buffer - schedule::first_plane);
  }
  Shared region_of(schedule::Buffer buffer) const {
    return buffer < schedule::first_plane ? shared[buffer] : Shared{};
  }
  const std::byte* at(schedule::Buffer buffer, const channel::Run& run) const {
    return base(buffer) + run.in(layout_of(buffer));
  }
  // Targets are never inputs (the verifier proves it), so writing is to our own or the caller's
  // output.
  std::byte* target(schedule::Buffer buffer, const channel::Run& run) const {
    return const_cast<std::byte*>(at(buffer, run));
  }
};

}  // namespace weft::executor
