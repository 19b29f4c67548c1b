// Short plans: one slice of few steps, where the time of a call is the instructions it takes.
//
// The same steps under the same rules, with a bit a step instead of lanes: a step issues once all
// that it needs is done (short_plan.hpp). A light message, one small item alone on its channel,
// needs no tickets and no state of its own: a send has retired when it was posted. What is received
// for one reduction alone stays in its slot until that reads it there; the credit goes back then.
// Records of executions show these runs like all others.
#include "executor/combine.hpp"

namespace weft::executor {

using transport::Posted;

bool Engine::run_short(Frame& frame) {
  const Plan& plan = *frame.plan;
  bool moved = false;
  for (u64 todo = plan.all_steps & ~frame.done; todo;) {
    const u32 step = u32(std::countr_zero(todo));
    const u64 bit = u64{1} << step;
    todo ^= bit;
    const ShortStep& order = plan.order[step];
    if (order.needs & ~frame.done) continue;
    if (!(frame.begun & bit)) {
      frame.begun |= bit;
      const LoweredStep& s = plan.steps[step];
      const bool has_tickets = s.ends && !s.light;
      if (has_tickets || tracer_) begin_short(frame, step);
    }
    if (!move_short(frame, step, moved)) continue;
    frame.done |= bit;
    todo |= order.lets;
    moved = true;
    if (tracer_) {
      frame.step_done[step] = 1;
      retire_done(frame, plan.steps[step].lane);
    }
  }
  if (frame.done == plan.all_steps) finish(frame);
  return moved;
}

void Engine::begin_short(Frame& frame, u32 step) {
  const LoweredStep& s = frame.plan->steps[step];
  u32 number = 0;
  if (tracer_) {
    number = tracer_->issued(frame, step);
    frame.step_done[step] = 0;
    ++frame.lanes[s.lane].issued;
  }
  if (s.light)
    frame.ends[s.first_end].issue = number;
  else if (frame.extents(s).bytes)
    queue_messages(frame, s, number);
}

bool Engine::move_short(Frame& frame, u32 step, bool& moved) {
  const LoweredStep& s = frame.plan->steps[step];
  if (s.light) return s.sends() ? send_light(frame, s) : receive_light(frame, step);
  if (s.holds) return hold(frame, step) || advance(frame, s, moved);
  if (frame.held & frame.plan->order[step].holders) return reduce_held(frame, step);
  return advance(frame, s, moved);
}

bool Engine::send_light(Frame& frame, const LoweredStep& s) {
  channel::SendChannel& channel = *frame.plan->ends[s.first_end].send[frame.index];
  if (!channel.has_credit()) return false;
  const channel::Run& run = frame.plan->runs[s.extents[Plan::tail].first_run];
  const transport::Piece piece(frame.at(s.source, run), run.bytes);
  const channel::CallMark mark{u32(frame.operation->call), frame.operation->signature.hash};
  const u32 issue = tracer_ ? frame.ends[s.first_end].issue : 0;
  const Posted posted = fabric_.post(channel, {&piece, 1}, run.bytes, mark, issue, 0);
  if (posted == Posted::busy) try_later(frame, s.lane);
  return posted != Posted::busy && posted != Posted::broken;
}

bool Engine::receive_light(Frame& frame, u32 step) {
  const LoweredStep& s = frame.plan->steps[step];
  channel::RecvChannel& channel = *frame.plan->ends[s.first_end].recv[frame.index];
  if (!channel.has_item()) return false;
  const channel::Run& run = frame.plan->runs[s.extents[Plan::tail].first_run];
  const channel::Item& item = channel.front();
  const channel::CallMark own{u32(frame.operation->call), frame.operation->signature.hash};
  const bool due = item.call == own && item.data && item.bytes == run.bytes;
  if (!due && !is_sound(frame, s, s.first_end)) return false;
  if (tracer_) tracer_->received(frame, s.first_end, item.issue);
  if (s.holds) {
    frame.held |= u64{1} << step;
    return true;
  }
  combine(frame, s, run, 0, run.bytes, [&](u32) { return item.data; });
  fabric_.pop(channel);
  return true;
}

// Leaves the message in its slot, if it came as one item.
bool Engine::hold(Frame& frame, u32 step) {
  const LoweredStep& s = frame.plan->steps[step];
  if (!at_turn(frame, s)) return false;
  channel::RecvChannel& channel = *frame.plan->ends[s.first_end].recv[frame.index];
  const channel::Item& item = channel.front();
  if (!item.data || item.bytes != frame.extents(s).bytes || channel.offset) return false;
  if (tracer_) tracer_->received(frame, s.first_end, item.issue);
  ++channel.turn;
  frame.held |= u64{1} << step;
  return true;
}

// A reduction of messages that lie in their slots.
bool Engine::reduce_held(Frame& frame, u32 step) {
  const Plan& plan = *frame.plan;
  const LoweredStep& s = plan.steps[step];
  const channel::Run& run = plan.runs[s.extents[Plan::tail].first_run];
  const std::byte* operands[] = {frame.at(s.source, run), frame.at(s.second, run)};
  channel::RecvChannel* read[] = {nullptr, nullptr};
  for (u32 i = 0; i < 2; ++i) {
    const u8 from = plan.order[step].holder[i];
    if (from == ShortStep::no_step || !(frame.held >> from & 1)) continue;
    read[i] = plan.ends[plan.steps[from].first_end].recv[frame.index];
    operands[i] = read[i]->front().data;
  }
  frame.operation->reduce(frame.target(s.target, run), operands, 2,
                          run.bytes / frame.operation->element_bytes);
  for (channel::RecvChannel* channel : read)
    if (channel) fabric_.pop(*channel);
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
