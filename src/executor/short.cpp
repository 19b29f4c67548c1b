// Short plans: one slice of few small messages, where the time of a call is the instructions it
// takes.
//
// The same steps under the same rules, with a bit a step instead of lanes: a step issues once all
// that it needs is done (Lowering::list_needs), and a small message is one item, so a send has
// retired when it was posted. Records of executions show these runs like all others.
#include "executor/combine.hpp"

namespace weft::executor {

using transport::Posted;

bool Engine::run_short(Frame& frame) {
  const Plan& plan = *frame.plan;
  bool moved = false;
  for (bool again = true; again;) {
    again = false;
    for (u64 left = plan.all_steps & ~frame.done; left; left &= left - 1) {
      const u32 step = u32(std::countr_zero(left));
      if (plan.needs[step] & ~frame.done) continue;
      const u64 bit = u64{1} << step;
      if (!(frame.begun & bit)) begin_short(frame, step);
      if (!move_short(frame, plan.steps[step])) continue;
      frame.done |= bit;
      again = moved = true;
      if (tracer_) {
        frame.step_done[step] = 1;
        retire_done(frame, plan.steps[step].lane);
      }
    }
  }
  if (frame.done == plan.all_steps) finish(frame);
  return moved;
}

void Engine::begin_short(Frame& frame, u32 step) {
  const LoweredStep& s = frame.plan->steps[step];
  frame.begun |= u64{1} << step;
  u32 number = 0;
  if (tracer_) {
    number = tracer_->issued(frame, step);
    frame.step_done[step] = 0;
    ++frame.lanes[s.lane].issued;
  }
  if (frame.extents(s).bytes) queue_messages(frame, s, number);
}

bool Engine::move_short(Frame& frame, const LoweredStep& s) {
  if (frame.extents(s).bytes == 0) return true;
  if (s.sends()) return send_short(frame, s);
  if (s.receives()) return receive_short(frame, s);
  do_locally(frame, s);
  return true;
}

bool Engine::send_short(Frame& frame, const LoweredStep& s) {
  bool done = true;
  for (u32 end = s.first_end; end < s.first_end + s.ends; ++end) {
    EndState& at = frame.ends[end];
    if (at.moved) continue;
    channel::SendChannel& channel = *frame.plan->ends[end].send[frame.index];
    Posted posted = Posted::broken;
    if (channel.turn == at.ticket && channel.has_credit())
      posted = post_short(frame, s, channel, at.issue);
    if (posted == Posted::busy) try_later(frame, s.lane);
    if (posted == Posted::busy || posted == Posted::broken) {
      done = false;
      continue;
    }
    at.moved = frame.extents(s).bytes;
    ++channel.turn;
  }
  return done;
}

Posted Engine::post_short(Frame& frame, const LoweredStep& s, channel::SendChannel& channel,
                          u32 issue) {
  const channel::CallMark mark{u32(frame.operation->call), frame.operation->signature.hash};
  const u64 bytes = frame.extents(s).bytes;
  const auto runs = frame.runs(s);
  if (runs.size() == 1) {  // spares the array, which takes longer to make than to send
    const transport::Piece piece(frame.at(s.source, runs[0]), bytes);
    return fabric_.post(channel, {&piece, 1}, bytes, mark, issue, 0);
  }
  std::array<transport::Piece, transport::max_pieces> pieces;
  u32 count = 0;
  for (const channel::Run& run : runs) pieces[count++] = {frame.at(s.source, run), run.bytes};
  return fabric_.post(channel, {pieces.data(), count}, bytes, mark, issue, 0);
}

bool Engine::receive_short(Frame& frame, const LoweredStep& s) {
  if (!at_turn(frame, s)) return false;
  u64 at = 0;
  for (const channel::Run& run : frame.runs(s)) {
    combine(frame, s, run, 0, run.bytes,
            [&](u32 end) { return frame.plan->ends[end].recv[frame.index]->front().data + at; });
    at += run.bytes;
  }
  for (u32 end = s.first_end; end < s.first_end + s.ends; ++end) {
    channel::RecvChannel& channel = *frame.plan->ends[end].recv[frame.index];
    if (tracer_) tracer_->received(frame, end, channel.front().issue);
    fabric_.pop(channel);
    ++channel.turn;
    frame.ends[end].moved = at;
  }
  return true;
}

void Frame::spread_steps() {
  lanes.assign(plan->lanes(), {});
  for (u32 lane = 0; lane < plan->lanes(); ++lane)
    for (u32 i = plan->lane_begin[lane]; i < plan->lane_begin[lane + 1]; ++i) {
      const bool is_begun = begun >> i & 1, is_done = done >> i & 1;
      step_done[i] = is_done;
      lanes[lane].issued += is_begun;
      lanes[lane].retired += is_done && lanes[lane].retired == i - plan->lane_begin[lane];
    }
}

}  // namespace weft::executor
