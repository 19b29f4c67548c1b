// Issue and retirement: the rules of src/schedule/README.md, lane by lane.
#include "executor/engine.hpp"

namespace weft::executor {

// One pass is enough: messages of a channel are on one lane in the order of its steps, so a step
// that has had its turn lets go on only steps behind it, and what other lanes wait for makes them
// dirty.
bool Engine::run_lane(Frame& frame, u32 lane) {
  const Plan& plan = *frame.plan;
  const u32 begin = plan.lane_begin[lane];
  LaneState& state = frame.lanes[lane];
  bool moved = false;
  for (u32 i = begin + state.retired; i < begin + state.issued; ++i)
    if (!frame.step_done[i] && advance(frame, plan.steps[i], moved)) frame.step_done[i] = 1;
  moved |= retire_done(frame, lane);
  while (frame.operation && may_issue(frame, lane)) {
    issue(frame, begin + state.issued++);
    retire_done(frame, lane);
    moved = true;
  }
  return moved;
}

bool Engine::may_issue(const Frame& frame, u32 lane) const {
  const Plan& plan = *frame.plan;
  const LaneState& state = frame.lanes[lane];
  const u32 index = plan.lane_begin[lane] + state.issued;
  if (index == plan.lane_begin[lane + 1]) return false;
  const LoweredStep& s = plan.steps[index];
  if (state.retired != state.issued && !s.overlaps) return false;
  for (const schedule::Wait& wait : s.wait)
    if (wait.valid() && frame.lanes[wait.lane].retired < wait.steps) return false;
  return true;
}

void Engine::issue(Frame& frame, u32 step) {
  const LoweredStep& s = frame.plan->steps[step];
  const u32 number = tracer_ ? tracer_->issued(frame, step) : 0;
  if (frame.extents(s).bytes) queue_messages(frame, s, number);
  bool moved = false;
  frame.step_done[step] = advance(frame, s, moved);
}

// Takes a place in the order of each channel; messages of one channel move one after the other.
void Engine::queue_messages(Frame& frame, const LoweredStep& s, u32 issue_number) {
  for (u32 k = s.first_end; k < s.first_end + s.ends; ++k) {
    EndState& state = frame.ends[k];
    state = {.issue = issue_number, .placed = state.placed};
    if (s.sends()) {
      channel::SendChannel& channel = *frame.plan->ends[k].send[frame.index];
      channel.lane = s.lane;
      state.ticket = channel.issued++;
    } else {
      channel::RecvChannel& channel = *frame.plan->ends[k].recv[frame.index];
      channel.lane = s.lane;
      state.ticket = channel.issued++;
    }
  }
}

bool Engine::retire_done(Frame& frame, u32 lane) {
  const Plan& plan = *frame.plan;
  LaneState& state = frame.lanes[lane];
  bool any = false;
  while (state.retired < state.issued && frame.step_done[plan.lane_begin[lane] + state.retired]) {
    if (tracer_) tracer_->retired(frame, plan.lane_begin[lane] + state.retired);
    ++state.retired;
    any = true;
  }
  if (!any) return false;
  for (u32 word = 0; word < frame.dirty.size(); ++word)
    frame.dirty[word] |= plan.dependents[lane][word];
  if (!plan.is_short() && plan.lane_begin[lane] + state.retired == plan.lane_begin[lane + 1] &&
      --frame.unfinished_lanes == 0)
    finish(frame);
  return true;
}

}  // namespace weft::executor
