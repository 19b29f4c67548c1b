// How bytes move: pieces of a send into slots or loans, items of a receive through the kernel into
// place.
#include <algorithm>
#include <cstring>

#include "executor/combine.hpp"

namespace weft::executor {

using transport::Posted;

bool Engine::advance(Frame& frame, const LoweredStep& s, bool& moved) {
  if (frame.extents(s).bytes == 0) return true;  // nothing to move: order only
  if (s.sends()) return advance_send(frame, s, moved);
  if (s.receives()) return advance_receive(frame, s, moved);
  do_locally(frame, s);
  return true;
}

void Engine::do_locally(Frame& frame, const LoweredStep& s) {
  for (const channel::Run& run : frame.runs(s)) {
    std::byte* const target = frame.target(s.target, run);
    const std::byte* const operands[] = {frame.at(s.source, run), s.verb == schedule::Verb::reduce
                                                                      ? frame.at(s.second, run)
                                                                      : nullptr};
    if (s.verb == schedule::Verb::reduce)
      frame.operation->reduce(target, operands, 2, run.bytes / frame.operation->element_bytes);
    else if (target != operands[0])
      std::memcpy(target, operands[0], run.bytes);
  }
}

// ---- sending

bool Engine::advance_send(Frame& frame, const LoweredStep& s, bool& moved) {
  const u64 bytes = frame.extents(s).bytes;
  bool done = true;
  for (u32 end = s.first_end; end < s.first_end + s.ends; ++end) {
    if (frame.ends[end].placed) {
      done &= announce(frame, s, end, moved);
      continue;
    }
    const channel::SendChannel& channel = *frame.plan->ends[end].send[frame.index];
    // What is lent stretch by stretch is, if these are large.
    const u64 stretch = frame.plan->alike ? bytes : bytes / frame.extents(s).runs;
    const bool lends = channel.lends ? stretch > channel::max_inline_bytes || !channel.slot_bytes
                                     : channel.maps && stretch >= least_mapped_bytes &&
                                           frame.region_of(s.source).region;
    done &= lends ? lend(frame, s, end, moved) : push(frame, s, end, moved);
  }
  return done;
}

// Copies the message into the receiver's slots, as far as credit reaches.
bool Engine::push(Frame& frame, const LoweredStep& s, u32 end, bool& moved) {
  channel::SendChannel& channel = *frame.plan->ends[end].send[frame.index];
  EndState& at = frame.ends[end];
  const Extents& extents = frame.extents(s);
  if (at.moved == extents.bytes) return at.pending == 0;
  if (channel.turn != at.ticket) return false;
  const channel::Run* const runs = &frame.plan->runs[extents.first_run];
  while (at.moved < extents.bytes) {
    if (!channel.has_credit()) return false;
    std::array<transport::Piece, transport::max_pieces> pieces;
    u32 count = 0;
    u64 bytes = 0, offset = at.run_offset;
    u32 run = at.run;
    while (count < pieces.size() && bytes < channel.slot_bytes &&
           at.moved + bytes < extents.bytes) {
      const u64 n = std::min<u64>(channel.slot_bytes - bytes, runs[run].bytes - offset);
      pieces[count++] = {frame.at(s.source, runs[run]) + offset, n};
      bytes += n;
      offset += n;
      if (offset == runs[run].bytes) ++run, offset = 0;
    }
    const channel::CallMark mark{u32(frame.operation->call), frame.operation->signature.hash};
    const Posted posted = fabric_.post(channel, {pieces.data(), count}, bytes, mark, at.issue,
                                       (u64{frame.index} + 1) << 32 | end);
    if (posted == Posted::busy) try_later(frame, s.lane);
    if (posted == Posted::busy || posted == Posted::broken) return false;
    at.pending += posted == Posted::pending;
    at.moved += bytes;
    at.run = run;
    at.run_offset = offset;
    moved = true;
  }
  ++channel.turn;
  return at.pending == 0;
}

// Lets the receiver read the message where it is: all of it at once where that is one stretch, or
// where the reader knows where the others are.
bool Engine::lend(Frame& frame, const LoweredStep& s, u32 end, bool& moved) {
  channel::SendChannel& channel = *frame.plan->ends[end].send[frame.index];
  EndState& at = frame.ends[end];
  const Extents& extents = frame.extents(s);
  if (at.moved == extents.bytes) return channel.credited >= at.release;
  if (channel.turn != at.ticket) return false;
  while (at.moved < extents.bytes) {
    if (!channel.has_credit() || !lend_stretch(frame, s, end)) return false;
    moved = true;
  }
  at.release = channel.sent;
  ++channel.turn;
  return false;
}

bool Engine::lend_stretch(Frame& frame, const LoweredStep& s, u32 end) {
  channel::SendChannel& channel = *frame.plan->ends[end].send[frame.index];
  EndState& at = frame.ends[end];
  const Extents& extents = frame.extents(s);
  const bool whole = extents.runs == 1 || frame.plan->alike;
  channel::Loan loan{.layout = frame.layout_of(s.source), .bytes = extents.bytes};
  const u32 answer = whole ? frame.plan->ends[end].answer : no_end;
  const Shared output = frame.region_of(schedule::output);
  if (answer != no_end && frame.layout_of(schedule::output) != channel::Layout::plane) {
    loan.answer.number = frame.plan->ends[answer].number[frame.kind];
    loan.answer.wanted = channel.lends || (output.region && fabric_.can_be_answered(channel.peer));
  }
  if (channel.lends) {
    loan.base = reinterpret_cast<u64>(frame.base(s.source));
    loan.answer.base = reinterpret_cast<u64>(frame.base(schedule::output));
  } else {
    const Shared shared = frame.region_of(s.source);
    loan.region = shared.region;
    loan.base = shared.offset;
    loan.answer.region = output.region;
    loan.answer.base = output.offset;
  }
  if (extents.runs == 1 || !whole) {
    const channel::Run& run = frame.runs(s)[at.run];
    loan.bytes = run.bytes;
    loan.base += run.in(loan.layout);
    loan.layout = channel::Layout::message;
  }
  const channel::CallMark mark{u32(frame.operation->call), frame.operation->signature.hash};
  const Posted posted = fabric_.lend(channel, loan, mark, at.issue);
  if (posted == Posted::busy) try_later(frame, s.lane);
  if (posted == Posted::busy || posted == Posted::broken) return false;
  if (loan.answer.wanted) frame.ends[answer].placed = true;
  at.moved += loan.bytes;
  ++at.run;
  return true;
}

// Says that the message is where the receiver wanted it: stored there by the step that made it.
bool Engine::announce(Frame& frame, const LoweredStep& s, u32 end, bool& moved) {
  channel::SendChannel& channel = *frame.plan->ends[end].send[frame.index];
  EndState& at = frame.ends[end];
  if (channel.turn != at.ticket || !channel.has_credit()) return false;
  const channel::CallMark mark{u32(frame.operation->call), frame.operation->signature.hash};
  const Posted posted = fabric_.announce_placed(channel, mark, at.issue);
  if (posted == Posted::busy) try_later(frame, s.lane);
  if (posted == Posted::busy || posted == Posted::broken) return false;
  at.placed = false;
  at.moved = frame.extents(s).bytes;
  ++channel.turn;
  moved = true;
  return true;
}

// ---- receiving

// Is this step's message at the head of each of its channels, and has something of it come?
bool Engine::at_turn(const Frame& frame, const LoweredStep& s) {
  for (u32 end = s.first_end; end < s.first_end + s.ends; ++end) {
    const channel::RecvChannel& channel = *frame.plan->ends[end].recv[frame.index];
    if (channel.turn != frame.ends[end].ticket || !channel.has_item()) return false;
    if (!is_sound(frame, s, end)) return false;
  }
  return true;
}

// Does the item at the head belong to this call and to this message?
bool Engine::is_sound(const Frame& frame, const LoweredStep& s, u32 end) {
  const channel::RecvChannel& channel = *frame.plan->ends[end].recv[frame.index];
  const channel::CallMark own{u32(frame.operation->call), frame.operation->signature.hash};
  if (channel.front().call != own) {  // of another call, which one of us has not made
    mismatch(channel.peer, own.call, frame.operation->signature);
    return false;
  }
  const char* const fault = fault_of(frame, s, end);
  if (!fault) return true;
  const char* const advice =
      frame.plan->alike ? "its library or its memory is not sound; compare versions on both ranks"
                        : "both ranks must give the same count for a block";
  failed({Code::remote_error, fmt::format("rank {} {}: {}", channel.peer, fault, advice)},
         settings_.rank);
  return false;
}

constexpr char lent_outside[] = "lent memory outside of the region it named";

// What no sound peer does with the item at the head of a message; null: nothing is wrong.
const char* Engine::fault_of(const Frame& frame, const LoweredStep& s, u32 end) const {
  const channel::RecvChannel& channel = *frame.plan->ends[end].recv[frame.index];
  const channel::Item& item = channel.front();
  const u64 bytes = frame.extents(s).bytes, moved = s.light ? 0 : frame.ends[s.first_end].moved;
  if (item.data || (!item.placed && item.layout == channel::Layout::message)) {
    const bool fits = s.light ? item.bytes == bytes : item.bytes - channel.offset <= bytes - moved;
    if (!fits) return "sent more or less than the message that is due";
    if (item.data || item.room.empty() || channel.offset) return nullptr;
    const bool inside =
        channel.is_in_room({}) && (!lands(frame, end) || channel.is_answer_in_room(frame.runs(s)));
    return inside ? nullptr : lent_outside;
  }
  if (item.placed && !frame.ends[end].placed) return "placed a message where none was wanted";
  // All of a message or nothing of it.
  if (s.light || channel.loan_read != moved) return "lent or placed a part of a message";
  if (item.room.empty() || channel.loan_read) return nullptr;
  if (!channel.is_in_room(frame.runs(s)) ||
      (lands(frame, end) && !channel.is_answer_in_room(frame.runs(s))))
    return lent_outside;
  return nullptr;
}

// False: a lender has closed its gate, having failed; word of it will follow.
bool Engine::enter_loans(const Frame& frame, const LoweredStep& s) {
  entered_.clear();
  for (u32 end = s.first_end; end < s.first_end + s.ends; ++end) {
    channel::LoanGate* const gate = frame.plan->ends[end].recv[frame.index]->front().gate;
    if (!gate) continue;
    if (!gate->enter()) {
      for (channel::LoanGate* const passed : entered_) passed->leave();
      return false;
    }
    entered_.push_back(gate);
  }
  return true;
}

// The message has its turn and nothing of it lies in slots: the rest of its run may come straight
// to its place, which is this step's to write from issue to retirement.
void Engine::offer_destination(const Frame& frame, const LoweredStep& s, const EndState& at) {
  if (s.verb != schedule::Verb::recv || failure_ || poison_) return;
  channel::RecvChannel& channel = *frame.plan->ends[s.first_end].recv[frame.index];
  if (channel.turn != at.ticket || channel.has_item()) return;
  const channel::Run& run = frame.runs(s)[at.run];
  channel.destination.offer(frame.target(s.target, run) + at.run_offset, run.bytes - at.run_offset);
}

bool Engine::advance_receive(Frame& frame, const LoweredStep& s, bool& moved) {
  const Extents& extents = frame.extents(s);
  EndState& at = frame.ends[s.first_end];
  while (at.moved < extents.bytes) {
    if (!at_turn(frame, s)) {
      offer_destination(frame, s, at);
      return false;
    }
    if (!enter_loans(frame, s)) {
      try_later(frame, s.lane);
      return false;
    }
    const bool placed = frame.plan->ends[s.first_end].recv[frame.index]->front().placed;
    const u64 bytes = placed ? extents.bytes : take(frame, s, at);
    at.moved += bytes;
    at.run_offset += bytes;
    if (at.run_offset == frame.plan->runs[extents.first_run + at.run].bytes)
      ++at.run, at.run_offset = 0;
    const bool last = at.moved == extents.bytes;
    for (u32 end = s.first_end; end < s.first_end + s.ends; ++end) {
      channel::RecvChannel& channel = *frame.plan->ends[end].recv[frame.index];
      if (tracer_) tracer_->received(frame, end, channel.front().issue);
      const bool answered = last && lands(frame, end);
      if (answered) frame.ends[frame.plan->ends[end].answer].placed = true;
      if (channel.advance(bytes, frame.runs(s).data())) fabric_.pop(channel, answered);
      channel.turn += last;
    }
    for (channel::LoanGate* const gate : entered_) gate->leave();
    moved = true;
  }
  at.placed = false;
  return true;
}

// Takes what is contiguous in all messages and in place, in one pass of the kernel. Returns the
// bytes.
u64 Engine::take(Frame& frame, const LoweredStep& s, const EndState& at) {
  const channel::Run& run = frame.runs(s)[at.run];
  const channel::Run* const runs = frame.runs(s).data();
  const auto readable = [&](u32 end) {
    return frame.plan->ends[end].recv[frame.index]->readable(runs);
  };
  u64 bytes = run.bytes - at.run_offset;
  for (u32 end = s.first_end; end < s.first_end + s.ends; ++end)
    bytes = std::min<u64>(bytes, readable(end).size());
  const auto incoming = [&](u32 end) { return readable(end).data(); };
  std::byte* const target = frame.target(s.target, run) + at.run_offset;
  if (s.verb == schedule::Verb::recv) {
    store(frame, s, target, incoming(s.first_end), bytes);
    return bytes;
  }
  landings_.clear();
  for (u32 end = s.first_end; end < s.first_end + s.ends; ++end)
    if (lands(frame, end))
      landings_.push_back(frame.plan->ends[end].recv[frame.index]->landing().base +
                          run.in(channel::Layout::output) + at.run_offset);
  store_reduced(frame, s, target, gather(frame, s, run, at.run_offset, incoming), bytes);
  return bytes;
}

}  // namespace weft::executor
