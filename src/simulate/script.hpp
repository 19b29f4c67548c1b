// A program as the simulator reads it: lanes of steps with bytes, waits and messages, and nothing
// about which rank it is.
//
// Ranks that do the same have equal scripts, so the thousand ranks of a job share a few. Peers,
// ports and ranks are in the cast (cast.hpp). Lifetime and threads: immutable once made.
#pragma once
#include <array>
#include <vector>

#include "schedule/program.hpp"
#include "simulate/machine.hpp"

namespace weft::simulate {

// Which slice an instance handles: all are alike but the last.
enum Part : u8 { body = 0, tail = 1 };

struct ScriptStep {
  std::array<u64, 2> bytes{};  // of each of its messages, or of a local operand, by Part
  u32 first_message = 0, messages = 0;
  u32 operands = 0;  // messages that enter a sum
  std::array<schedule::Wait, 2> wait{};
  schedule::Verb verb = schedule::Verb::copy;
  schedule::Lane lane = 0;
  bool overlaps = false;   // issues once its predecessor has issued
  bool signalled = false;  // a send whose completion somebody waits for

  bool sends() const { return verb == schedule::Verb::send; }
  bool receives() const {
    return verb == schedule::Verb::recv || verb == schedule::Verb::recv_reduce;
  }
  bool operator==(const ScriptStep&) const = default;
};

struct ScriptMessage {
  u32 step = 0;
  u16 wire = 0;  // of the rank's own, in the order in which its program first uses them
  bool inter = false;
  bool operator==(const ScriptMessage&) const = default;
};

struct Script {
  std::vector<u32> lane_begin;          // lane l is steps [lane_begin[l], lane_begin[l + 1])
  std::vector<ScriptStep> steps;        // by lanes
  std::vector<ScriptMessage> messages;  // by steps; a fan begins after the own position
  std::vector<std::vector<schedule::Lane>> dependents;  // lane -> itself and lanes that wait for it

  u32 lanes() const { return u32(lane_begin.size()) - 1; }
  u32 size(schedule::Lane lane) const { return lane_begin[lane + 1] - lane_begin[lane]; }
  bool operator==(const Script&) const = default;
};

}  // namespace weft::simulate
