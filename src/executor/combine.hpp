// One pass of the kernel over what came in and what is here: the operands of a receive, by
// position.
//
// Included by the files that move bytes. Threads: those of the engine.
#pragma once
#include <algorithm>
#include <cstring>

#include "executor/engine.hpp"

namespace weft::executor {

// The operands of a reduction, in order; how many. `incoming(end)`: the bytes of that message which
// belong at `offset` of the run.
template <class Incoming>
u32 Engine::gather(Frame& frame, const LoweredStep& s, const channel::Run& run, u64 offset,
                   Incoming incoming) {
  u32 operands = 0;
  for (u32 end = s.first_end; end < s.first_end + s.ends; ++end) {
    if (operands == s.own) ++operands;
    operands_[operands++] = incoming(end);
  }
  const bool fan = operands > 1 || s.own != no_own;
  if (fan) {
    if (s.own != no_own) operands_[s.own] = frame.at(s.source, run) + offset;
    return std::max<u32>(operands, s.own == no_own ? 0 : s.own + 1u);
  }
  const std::byte* const mine = frame.at(s.source, run) + offset;
  operands_[1] = s.right ? mine : operands_[0];
  if (!s.right) operands_[0] = mine;
  return 2;
}

// In one pass, into place.
template <class Incoming>
void Engine::combine(Frame& frame, const LoweredStep& s, const channel::Run& run, u64 offset,
                     u64 bytes, Incoming incoming) {
  std::byte* const target = frame.target(s.target, run) + offset;
  if (s.verb == schedule::Verb::recv) {
    std::memcpy(target, incoming(s.first_end), bytes);
    return;
  }
  const u32 operands = gather(frame, s, run, offset, incoming);
  frame.operation->reduce(target, operands_.data(), operands,
                          bytes / frame.operation->element_bytes);
}

}  // namespace weft::executor
