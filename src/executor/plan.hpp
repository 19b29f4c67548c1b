// A program lowered to one shape of call: steps bound to channels, spans bound to byte ranges.
//
// Lowering does all that does not depend on the buffers: it merges the atoms of a span into runs,
// cuts the data into slices, opens the channels and lays out lanes. Every slice but the last has
// the same runs, so a plan holds at most two sets of them. Plans are made once and started many
// times. Threads: immutable after lower().
#pragma once
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "channel/fabric.hpp"
#include "schedule/collective.hpp"
#include "schedule/partition.hpp"
#include "schedule/program.hpp"

namespace weft::executor {

// What the data of a call looks like, apart from where it is.
struct Layout {
  u64 count = 0;  // elements of the vector, or of one block
  u32 element_bytes = 1;
  u64 slice_elements = 0;  // of the vector or block; a multiple of 64 bytes; 0: one slice
  bool streams = false;    // more than the caches hold: results are stored past them
};

// The runs of one step in one kind of slice.
struct Extents {
  u32 first_run = 0, runs = 0;
  u64 bytes = 0;
};

struct LoweredStep {
  schedule::Verb verb;
  schedule::Lane lane;
  schedule::Buffer target, source, second;
  bool right;     // recv_reduce: the own operand stands on the right
  bool overlaps;  // may issue once its predecessor has issued
  u8 readers;     // steps here that read what it writes to the output; many: 2
  bool light;     // of a short plan: one small message, alone on its channel and of one run
  bool holds;     // of a short plan: what it receives may stay in its slot until it is reduced
  u16 ends;       // messages it exchanges
  u16 own;        // fan: the own operand's place among the positions; no_own where it has none
  u32 first_end;
  schedule::Wait wait[2];
  std::array<Extents, 2> extents;  // by kind of slice

  bool is_local() const { return !sends() && !receives(); }
  bool sends() const { return verb == schedule::Verb::send; }
  bool receives() const {
    return verb == schedule::Verb::recv || verb == schedule::Verb::recv_reduce;
  }
};
inline constexpr u16 no_own = 0xffff;

// The order of a step of a short plan: the steps that it needs done before it issues, and those
// that need it, a bit each. Of a reduction: the steps whose messages may stay in their slots for
// it, and which of them is its source and which its second operand.
struct ShortStep {
  u64 needs = 0, lets = 0, holders = 0;
  std::array<u8, 2> holder{no_step, no_step};
  static constexpr u8 no_step = 0xff;
};

inline constexpr u32 no_end = 0xffffffff;

// One message of a step: its channel in each frame.
struct End {
  channel::SendChannel* const* send = nullptr;
  channel::RecvChannel* const* recv = nullptr;
  transport::Peer peer = 0;
  u8 port = 0;
  // Of a message that may be lent, at both of its ends: the end here of the message that answers it
  // (answers.hpp).
  u32 answer = no_end;
  std::array<u32, 2> number{};  // among the messages of its channel, by kind of slice
};

using LaneSet = std::array<u64, 4>;  // a bit a lane
inline void add(LaneSet& set, u32 lane) { set[lane / 64] |= u64{1} << lane % 64; }

// What a frame needs room for.
struct PlanSize {
  u32 lanes = 0, steps = 0, ends = 0, fan = 2;
  bool fits(const PlanSize& room) const {
    return lanes <= room.lanes && steps <= room.steps && ends <= room.ends && fan <= room.fan;
  }
  void grow_to(const PlanSize& other) {
    lanes = std::max(lanes, other.lanes);
    steps = std::max(steps, other.steps);
    ends = std::max(ends, other.ends);
    fan = std::max(fan, other.fan);
  }
};

struct Plan {
  enum Kind : u8 { body = 0, tail = 1 };

  schedule::Program program;
  schedule::Collective collective;
  std::vector<LoweredStep> steps;   // by lane, in the order of the lane
  std::vector<u32> program_step;    // steps[i] is program.steps[program_step[i]]
  std::vector<u32> lane_begin;      // lanes + 1 offsets into steps
  std::vector<LaneSet> dependents;  // lanes that wait for lane i
  std::vector<End> ends;
  std::vector<channel::Run> runs;
  std::array<std::array<Extents, 2>, 2> windows;  // what this rank has of input and output, by kind
  u64 slices = 1;
  u64 slice_bytes = 0;   // from one slice to the next in the caller's buffers
  u64 plane_bytes = 0;   // of one scratch plane
  bool streams = false;  // Layout::streams
  bool alike = true;     // each rank knows how the others lay out their buffers
  PlanSize size;

  // Of a short plan, one slice of few steps: their order, and all of them, a bit each.
  std::vector<ShortStep> order;
  u64 all_steps = 0;

  u32 lanes() const { return u32(lane_begin.size()) - 1; }
  bool is_short() const { return all_steps != 0; }
  Kind kind_of(u64 slice) const { return slice + 1 == slices ? tail : body; }
};

// Opens the channels the program needs; errors are those of connecting and of memory.
Result<std::unique_ptr<Plan>> lower(schedule::Program program, schedule::Collective collective,
                                    const schedule::Partition& partition, Layout layout,
                                    channel::Fabric& fabric);

}  // namespace weft::executor
