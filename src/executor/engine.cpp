#include "executor/engine.hpp"

#include <algorithm>

namespace weft::executor {

Engine::Engine(Settings settings)
    : settings_(std::move(settings)),
      fabric_(settings_.rank, settings_.channels, std::move(settings_.routes), *this),
      frames_(settings_.channels.frames),
      operands_(2) {
  flushing_.reserve(max_in_flight);
  for (u32 i = 0; i < frames_.size(); ++i) frames_[i].index = u8(i);
  if (settings_.trace || settings_.times)
    tracer_.emplace(settings_.rank, u32(frames_.size()), settings_.trace, settings_.times);
}

// ---- operations

void Engine::start(Operation& operation) {
  WEFT_ASSERT(!full());
  // First, since memory may run out. Whatever frame its slices will meet: later calls of this size
  // then allocate nothing.
  if (!operation.plan->size.fits(room_)) make_room(*operation.plan);
  operation.call = next_call_;
  count(next_call_, next_call_ + 1);
  operation.next_slice = 0;
  operation.slices_left = operation.plan->slices;
  operations_[operation.call % max_in_flight] = &operation;
  if (poison_) {
    const Error aborted{
        Code::aborted,
        fmt::format("rank {}: the communicator is unusable since an earlier error: {}",
                    settings_.rank, poison_->text)};
    return conclude(operation, &aborted);
  }
  last_mark_ = {u32(operation.call), operation.signature.hash};
  if (const auto peer = ledger_.made(operation.call, operation.signature))
    mismatch(*peer, u32(operation.call), operation.signature);
  start_instances();
  // A short call sends at once, and this may already be its end.
  if (operation.plan->is_short()) run_frames();
}

void Engine::make_room(const Plan& plan) {
  PlanSize grown = room_;
  grown.grow_to(plan.size);
  for (Frame& frame : frames_) frame.make_room(grown);
  operands_.resize(grown.fan);
  entered_.reserve(grown.fan);
  landings_.reserve(grown.fan);
  room_ = grown;
}

void Engine::conclude(Operation& operation, const Error* error) {
  operations_[operation.call % max_in_flight] = nullptr;
  while (oldest_ < next_call_ && !operations_[oldest_ % max_in_flight]) count(oldest_, oldest_ + 1);
  starting_ = std::max(starting_, oldest_);
  operation.conclude(error);
}

// ---- instances

bool Engine::start_instances() {
  bool started = false;
  while (starting_ < next_call_) {
    Operation* const operation = operations_[starting_ % max_in_flight];
    if (!operation || operation->next_slice == operation->plan->slices) {
      ++starting_;
      continue;
    }
    Frame& frame = frames_[next_instance_ % frames_.size()];
    if (frame.operation) break;
    begin(frame, *operation);
    started = true;
  }
  return started;
}

void Engine::begin(Frame& frame, Operation& operation) {
  const Plan& plan = *operation.plan;
  if (operation.next_slice == 0) {
    operation.first_instance = next_instance_;
    if (tracer_) tracer_->call(operation);
  }
  frame.operation = &operation;
  frame.plan = &plan;
  frame.instance = next_instance_++;
  frame.slice = operation.next_slice++;
  frame.kind = plan.kind_of(frame.slice);
  frame.dirty = frame.later = {};
  frame.begun = frame.done = frame.held = 0;
  frame.unfinished_lanes = 0;
  if (!plan.is_short() || tracer_) frame.lanes.assign(plan.lanes(), {});
  const u64 scratch = scratch_planes(operation) * plan.plane_bytes;
  if (frame.scratch.bytes().size() < scratch) {
    auto grown = Mapping::anonymous(scratch);
    if (!grown) return failed(grown.error(), settings_.rank);
    frame.scratch = std::move(*grown);
  }
  stage_in(frame);
  awake_ |= u64{1} << frame.index;
  if (plan.is_short()) return;
  for (u32 lane = 0; lane < plan.lanes(); ++lane) {
    if (plan.lane_begin[lane] == plan.lane_begin[lane + 1]) continue;
    add(frame.dirty, lane);
    ++frame.unfinished_lanes;
  }
  if (!frame.unfinished_lanes) finish(frame);
}

void Engine::finish(Frame& frame) {
  Operation& operation = *frame.operation;
  stage_out(frame);
  frame.operation = nullptr;
  frame.dirty = frame.later = {};
  if (--operation.slices_left > 0) return;
  // Nobody is called back from here, in the middle of a run; nothing ends while a mismatch is being
  // explained; and a poll must look at what other threads want.
  if (!operation.is_watched() && fabric_.keeps_nothing() && !failure_ && !dispute_ &&
      !attention_.load(std::memory_order_relaxed))
    return conclude(operation, nullptr);
  flushing_.push_back(&operation);
  fabric_.mark();
}

bool Engine::conclude_flushed() {
  bool moved = false;
  if (!fabric_.passed_mark()) moved = fabric_.poll() > 0;
  if (failure_ || dispute_ || !fabric_.passed_mark()) return moved;
  for (Operation* const operation : flushing_) conclude(*operation, nullptr);
  flushing_.clear();
  return true;
}

// Starts what can start and moves what is awake. While a mismatch is being explained nothing may
// end as if it were right.
bool Engine::run_frames() {
  bool moved = false;
  while (!failure_ && !dispute_) {
    if (starting_ < next_call_) moved |= start_instances();
    if (!awake_) break;
    Frame& frame = frames_[u32(std::countr_zero(awake_))];
    awake_ &= awake_ - 1;
    if (!frame.operation) continue;  // it ended meanwhile, and its plan may be gone
    if (frame.plan->is_short()) {
      moved |= run_short(frame);
      continue;
    }
    for (int lane; frame.operation && (lane = frame.take_dirty()) >= 0;)
      moved |= run_lane(frame, u32(lane));
  }
  return moved;
}

bool Engine::poll() {
  if (poison_) return may_poll() && fabric_.poll() > 0;
  if (attention_.load(std::memory_order_relaxed)) attend();
  bool moved = fabric_.poll() > 0;
  if (awake_ || starting_ < next_call_) moved |= run_frames();
  for (; drowsy_; drowsy_ &= drowsy_ - 1) {
    Frame& frame = frames_[u32(std::countr_zero(drowsy_))];
    for (u32 word = 0; word < frame.dirty.size(); ++word)
      frame.dirty[word] |= std::exchange(frame.later[word], 0);
    awake_ |= drowsy_ & -drowsy_;
  }
  fabric_.push();
  if (!flushing_.empty()) moved |= conclude_flushed();
  if (dispute_ && dispute_->answer.passed()) settle(dispute_->peer, dispute_->call, nullptr);
  if (!moved && someone_departed_) miss_departed();
  if (failure_ && !waits_for_verdict()) {
    carry_out_failure();
    return true;
  }
  return moved;
}

// ---- what channels tell

void Engine::wake(Frame& frame, u8 lane) {
  if (!frame.operation) return;
  if (!frame.plan->is_short()) {  // which looks at all of its steps
    if (lane >= frame.plan->lanes()) return;
    add(frame.dirty, lane);
  }
  awake_ |= u64{1} << frame.index;
}
void Engine::try_later(Frame& frame, u32 lane) {
  add(frame.later, lane);
  drowsy_ |= u64{1} << frame.index;
}
void Engine::can_send(channel::SendChannel& channel) { wake(frames_[channel.frame], channel.lane); }
void Engine::can_receive(channel::RecvChannel& channel) {
  wake(frames_[channel.frame], channel.lane);
}

void Engine::sent(transport::Cookie cookie) {
  Frame& frame = frames_[(cookie >> 32) - 1];  // cookie 0 means none
  EndState& end = frame.ends[u32(cookie)];
  if (!frame.operation || !end.pending) return;
  --end.pending;
  wake(frame, (*frame.plan->ends[u32(cookie)].send[frame.index]).lane);
}

// ---- calls that do not match

void Engine::saw_call(transport::Peer from, channel::CallMark mark) {
  // The call under way, mostly: whoever takes the item compares them anyway.
  if (mark == last_mark_) return;
  if (ledger_.disagrees(from, mark)) mismatch(from, mark.call, *ledger_.signature_of(mark.call));
}

void Engine::mismatch(transport::Peer peer, u32 call, const Signature& signature) {
  if (failure_ || dispute_ || poison_) return;
  channel::Explain mine{.call = call};
  std::copy_n(signature.bytes.begin(), channel::signature_bytes, mine.signature);
  fabric_.explain(peer, mine);
  dispute_ = {peer, call, signature, Deadline::after(std::chrono::seconds(2))};
  if (early_explain_ && early_explain_->first == peer) explained(peer, early_explain_->second);
}

void Engine::explained(transport::Peer from, const channel::Explain& explain) {
  if (failure_ || poison_) return;
  const Signature* const mine = ledger_.signature_of(explain.call);
  if (!mine) {
    early_explain_ = {from, explain};
    return;
  }
  Signature theirs;
  std::copy_n(explain.signature, channel::signature_bytes, theirs.bytes.begin());
  if (theirs.bytes == mine->bytes) return;
  if (!dispute_) mismatch(from, explain.call, *mine);  // tells the peer our side of it
  if (dispute_ && dispute_->call == explain.call) settle(from, explain.call, &theirs);
}

void Engine::settle(transport::Peer peer, u32 call, const Signature* theirs) {
  failed_call_ = call;
  failed({Code::mismatch,
          fmt::format(
              "call {} is {} on rank {} but {} on rank {}: all ranks of a communicator must make "
              "the same calls in the same order",
              call, settings_.describe(dispute_->mine), settings_.rank,
              theirs ? settings_.describe(*theirs) : "something else", peer)},
         settings_.rank);
}

// ---- errors

void Engine::failed(const Error& error, u32 origin) {
  if (!failure_ && !poison_) failure_ = {error, origin};
}

void Engine::departed(transport::Peer) { someone_departed_ = true; }

// A peer has left for good; whatever it had sent has arrived. Is it needed all the same?
void Engine::miss_departed() {
  for (Frame& frame : frames_) {
    if (!frame.operation) continue;
    if (frame.plan->is_short()) frame.spread_steps();
    for (u32 lane = 0; lane < frame.plan->lanes(); ++lane) {
      const LaneState& state = frame.lanes[lane];
      if (state.retired == state.issued) continue;
      const u32 step = frame.plan->lane_begin[lane] + state.retired;
      const LoweredStep& s = frame.plan->steps[step];
      for (u32 end = s.first_end; end < s.first_end + s.ends && !frame.step_done[step]; ++end)
        if (const transport::Peer peer = frame.plan->ends[end].peer;
            fabric_.has_departed(peer) && waits_for(frame, s, end))
          return failed(
              {Code::remote_error,
               fmt::format(
                   "rank {} destroyed its communicator, but {} (call {}) needs it: every rank "
                   "has to make every call",
                   peer, settings_.describe(frame.operation->signature), frame.operation->call)},
              settings_.rank);
    }
  }
}

void Engine::expire(TimePoint now) {
  const i64 present = now.time_since_epoch().count();
  for (u64 call = oldest_; call < next_call_; ++call) {
    Operation* const operation = operations_[call % max_in_flight];
    if (!operation) continue;
    i64 deadline = operation->deadline.load(std::memory_order_relaxed);
    if (deadline == 0) {
      const i64 made = in_seconds(operation->timeout_seconds.load()).at.time_since_epoch().count();
      if (operation->deadline.compare_exchange_strong(deadline, made)) deadline = made;
    }
    if (present < deadline || failure_) continue;
    failed_call_ = call;
    return failed({Code::timed_out,
                   fmt::format("{} (call {}) has not ended after {:g} s: {}",
                               settings_.describe(operation->signature), call,
                               operation->timeout_seconds.load(), describe_wait(*operation))},
                  settings_.rank);
  }
}

// What is seen here may be the consequence of something else: others are asked first.
bool Engine::waits_for_verdict() {
  if (is_final_ || !settings_.consult) return false;
  if (!hold_)
    hold_ = Deadline::after(settings_.consult(failure_->first, failure_->second, failed_call_));
  return !hold_->passed();
}

void Engine::carry_out_failure() {
  const auto [error, origin] = *failure_;
  fabric_.abort(error, origin);
  // Peers should hear of it; a peer that does not listen must not keep us.
  const Deadline deadline = Deadline::after(std::chrono::milliseconds(200));
  const auto all_said = [this] { return fabric_.quiet() && fabric_.flushed(); };
  while (!all_said() && !deadline.passed()) fabric_.poll();
  lingers_ = fabric_.flushed();
  poison_ = Error{error.code, is_final_ || origin == settings_.rank
                                  ? fmt::format("rank {}: {}", settings_.rank, error.text)
                                  : fmt::format("rank {}: told by rank {}: {}", settings_.rank,
                                                origin, error.text)};
  error_code_.store(int(error.code));
  // From here on callers have their buffers back.
  fabric_.withdraw_loans();
  failure_.reset();
  dispute_.reset();
  for (Frame& frame : frames_) frame.operation = nullptr;
  flushing_.clear();
  for (u64 call = oldest_; call < next_call_; ++call)
    if (Operation* const operation = operations_[call % max_in_flight])
      conclude(*operation, &*poison_);
}

}  // namespace weft::executor
