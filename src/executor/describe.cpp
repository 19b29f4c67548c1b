// Who is waited for: the words of a time-out.
#include <algorithm>

#include "executor/engine.hpp"

namespace weft::executor {
namespace {

// Bytes of a message that a step waits for: of a light one all or nothing.
u64 moved_of(const Frame& frame, const LoweredStep& s, u32 end) {
  return s.light ? 0 : frame.ends[s.receives() ? s.first_end : end].moved;
}

}  // namespace

// Is it the peer of this message that keeps the step from ending?
bool Engine::waits_for(const Frame& frame, const LoweredStep& s, u32 end) const {
  const End& message = frame.plan->ends[end];
  const EndState& state = frame.ends[end];
  if (s.receives()) {
    const channel::RecvChannel& channel = *message.recv[frame.index];
    return (s.light || channel.turn <= state.ticket) && !channel.has_item();
  }
  const channel::SendChannel& channel = *message.send[frame.index];
  return s.light || state.moved < frame.extents(s).bytes || state.pending ||
         channel.credited < state.release;
}

std::string Engine::describe_message(const Frame& frame, const LoweredStep& s, u32 end) const {
  const End& message = frame.plan->ends[end];
  const u64 bytes = frame.extents(s).bytes;
  const u64 moved = moved_of(frame, s, end);
  const std::string way = fabric_.describe(message.peer);
  if (s.receives())
    return fmt::format("rank {} has sent {} of {} bytes ({})", message.peer, moved, bytes, way);
  if (!message.send[frame.index]->depth)
    return fmt::format("rank {} has not joined this call ({})", message.peer, way);
  return fmt::format("rank {} has taken {} of {} bytes ({})", message.peer, moved, bytes, way);
}

// The operation, the slice, and which bytes of which message of it.
std::string Engine::describe_item(const channel::RecvChannel& channel, u32 call, u64 bytes) const {
  const Frame& frame = frames_[channel.frame];
  if (!frame.operation || u32(frame.operation->call) != call)
    return fmt::format("call {}, which has not begun here", call);
  const Plan& plan = *frame.plan;
  std::string text =
      fmt::format("{} (call {}), slice {} of {}", settings_.describe(frame.operation->signature),
                  frame.operation->call, frame.slice + 1, plan.slices);
  for (u32 i = 0; i < plan.steps.size(); ++i) {
    const LoweredStep& s = plan.steps[i];
    const bool is_issued = plan.is_short()
                               ? frame.begun >> i & 1
                               : i - plan.lane_begin[s.lane] < frame.lanes[s.lane].issued;
    for (u32 end = s.first_end; s.receives() && is_issued && end < s.first_end + s.ends; ++end) {
      if (plan.ends[end].recv[frame.index] != &channel) continue;
      const EndState& at = frame.ends[end];
      const u64 whole = frame.extents(s).bytes;
      const u64 begin = at.moved + (channel.arrived - channel.consumed) * channel.slot_bytes;
      if (at.ticket == channel.turn && begin + bytes <= whole)
        return text +
               fmt::format(", bytes {} to {} of a message of {}", begin, begin + bytes, whole);
    }
  }
  return text;
}

// Every message that a step of the operation waits for.
template <class Visit>
void Engine::visit_waits(const Operation& operation, Visit visit) {
  for (Frame& frame : frames_) {
    if (frame.operation != &operation) continue;
    if (frame.plan->is_short()) frame.spread_steps();
    for (u32 lane = 0; lane < frame.plan->lanes(); ++lane) {
      const u32 begin = frame.plan->lane_begin[lane];
      for (u32 i = begin + frame.lanes[lane].retired; i < begin + frame.lanes[lane].issued; ++i) {
        const LoweredStep& s = frame.plan->steps[i];
        if (frame.step_done[i] || frame.extents(s).bytes == 0) continue;
        for (u32 end = s.first_end; end < s.first_end + s.ends; ++end)
          if (waits_for(frame, s, end)) visit(frame, s, end);
      }
    }
  }
}

std::string Engine::describe_wait(const Operation& operation) {
  if (operation.next_slice == 0)
    return fmt::format("rank {} has not begun it: {} earlier calls are still running",
                       settings_.rank, operation.call - oldest_);
  if (operation.slices_left == 0)
    return fmt::format("all is done here, but bytes for {} cannot leave: it does not read",
                       fabric_.describe_unflushed());
  std::vector<std::string> found;
  visit_waits(operation, [&](const Frame& frame, const LoweredStep& s, u32 end) {
    found.push_back(describe_message(frame, s, end));
  });
  if (found.empty())
    return "every message has arrived, so a rank of this process is not being driven";
  // A missing rank is more telling than one that is slow, and one sentence a peer is enough.
  std::stable_partition(found.begin(), found.end(), [](const std::string& text) {
    return text.find("not joined") != text.npos;
  });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  const std::size_t shown = std::min<std::size_t>(found.size(), 2);
  std::string text = fmt::format("{}", fmt::join(found.begin(), found.begin() + shown, "; "));
  if (shown < found.size()) text += fmt::format("; and {} more", found.size() - shown);
  return text;
}

// For a look from outside: how far the oldest operation is, and whom it waits for.
void Engine::publish() {
  const Operation* const oldest =
      oldest_ < next_call_ ? operations_[oldest_ % max_in_flight] : nullptr;
  Standing now{.published = Clock::now()};
  if (oldest) {
    now.moved = oldest->next_slice;
    for (Frame& frame : frames_) {
      if (frame.operation != oldest) continue;
      if (frame.plan->is_short()) frame.spread_steps();
      for (u32 lane = 0; lane < frame.plan->lanes(); ++lane) now.moved += frame.lanes[lane].retired;
    }
    visit_waits(*oldest, [&](const Frame& frame, const LoweredStep& s, u32 end) {
      const transport::Peer peer = frame.plan->ends[end].peer;
      now.moved += moved_of(frame, s, end);
      if (std::find(now.peers.begin(), now.peers.end(), peer) == now.peers.end())
        now.peers.push_back(peer);
    });
    now.waits = describe_wait(*oldest);
  }
  const std::lock_guard lock(standing_mutex_);
  now.call = asked_call_ != latest_call ? asked_call_ : oldest ? oldest_ : next_call_ - 1;
  if (now.call < next_call_)
    if (const Signature* const called = ledger_.signature_of(u32(now.call)))
      now.called = settings_.describe(*called);
  standing_ = std::move(now);
}

}  // namespace weft::executor
