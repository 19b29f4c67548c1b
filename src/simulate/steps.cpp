// The engine's rules: when a step begins, what it costs, when it has retired.
#include <algorithm>

#include "simulate/engine.hpp"

namespace weft::simulate {

using schedule::Verb;

void Engine::start_instance(u32 actor, u32 instance, Time now, u32 cause) {
  const Script& s = script(actor);
  const Time start = reserve(progress(actor), now, cause, machine_.frame, Term::frames);
  std::fill_n(lanes(actor, instance), s.lanes(), Lane{});
  for (u32 i = 0; i < s.steps.size(); ++i) {
    const u32 missing = s.steps[i].messages + (s.steps[i].receives() ? 1 : 0);
    step_state({actor, instance, i}) = {missing, false};
  }
  unretired_[std::size_t(actor) * options_.frames + frame(instance)] = u32(s.steps.size());
  schedule(start, What::started, {actor, instance, 0}, cause);
}

void Engine::started(const At& at, Time now, u32 cause) {
  const Script& s = script(at.actor);
  if (at.instance >= options_.frames)  // slots are free again: their senders may go ahead
    for (u32 m = 0; m < s.messages.size(); ++m) {
      const ScriptMessage& message = s.messages[m];
      const ScriptStep& step = s.steps[message.step];
      if (step.receives() && bytes(at, step) && eager(at, message)) grant(at, m, now, cause);
    }
  for (u32 lane = 0; lane < s.lanes(); ++lane) advance(at.actor, at.instance, lane, now, cause);
  // The first of each frame start one after the other, so that each gets going before the next.
  const u64 next = u64(at.instance) + 1;
  if (next < std::min<u64>(options_.frames, cast_.slices))
    start_instance(at.actor, u32(next), now, cause);
  if (s.steps.empty()) retired(at, now, cause);
}

// The sender of message m may send: told by a message without bytes.
void Engine::grant(const At& at, u32 m, Time now, u32 cause) {
  const Mate mate = cast_.mates[cast_.actors[at.actor].first_mate + m];
  now += link(script(at.actor).messages[m]).latency;
  schedule(now, What::granted, {mate.actor, at.instance, mate.message},
           path_.mark(cause, now, Term::latency));
}

bool Engine::may_begin(const Script& s, const Lane* lanes, u32 lane) const {
  const Lane& mine = lanes[lane];
  if (mine.issuing || mine.begun == s.size(schedule::Lane(lane))) return false;
  const ScriptStep& step = s.steps[s.lane_begin[lane] + mine.begun];
  if (!step.overlaps && mine.retired != mine.begun) return false;
  return std::all_of(step.wait.begin(), step.wait.end(), [&](const schedule::Wait& wait) {
    return !wait.valid() || lanes[wait.lane].retired >= wait.steps;
  });
}

void Engine::advance(u32 actor, u32 instance, u32 lane, Time now, u32 cause) {
  const Script& s = script(actor);
  Lane* all = lanes(actor, instance);
  if (!may_begin(s, all, lane)) return;
  const u32 step = s.lane_begin[lane] + all[lane].begun++;
  all[lane].issuing = true;
  begin({actor, instance, step}, now, cause);
}

void Engine::begin(const At& at, Time now, u32 cause) {
  const ScriptStep& step = script(at.actor).steps[at.index];
  const Time ready = reserve(progress(at.actor), now, cause, machine_.issue, Term::issue);
  if (bytes(at, step) && step.messages) {
    if (step.sends()) return post_all(at, ready, cause);
    return issue_receive(at, ready, cause);
  }
  schedule(ready, What::issued, at, cause);
}

// One after the other, in the order of the fan.
void Engine::post_all(const At& at, Time now, u32 cause) {
  const Script& s = script(at.actor);
  const ScriptStep& step = s.steps[at.index];
  for (u32 m = step.first_message; m < step.first_message + step.messages; ++m) {
    const Link& l = link(s.messages[m]);
    now = reserve(progress(at.actor), now, cause, l.send_overhead, Term::overhead);
    now = reserve(progress(at.actor), now, cause, l.doorbell, Term::doorbell);
    schedule(now, What::posted, {at.actor, at.instance, m}, cause);
  }
}

// A grant costs what a message costs; credits of slots ride along with the frame.
void Engine::issue_receive(const At& at, Time now, u32 cause) {
  const Script& s = script(at.actor);
  const ScriptStep& step = s.steps[at.index];
  for (u32 m = step.first_message; m < step.first_message + step.messages; ++m) {
    if (eager(at, s.messages[m])) continue;
    const Link& l = link(s.messages[m]);
    now = reserve(progress(at.actor), now, cause, l.send_overhead, Term::overhead);
    now = reserve(progress(at.actor), now, cause, l.doorbell, Term::doorbell);
    grant(at, m, now, cause);
  }
  schedule(now, What::issued, at, cause);
}

void Engine::issued(const At& at, Time now, u32 cause) {
  const ScriptStep& step = script(at.actor).steps[at.index];
  lanes(at.actor, at.instance)[step.lane].issuing = false;
  if (bytes(at, step) == 0 || (!step.messages && (step.sends() || step.receives())))
    done(at, now, cause);
  else if (step.receives())
    count_down(at, now, cause);
  else if (!step.sends())
    work(at, now, cause);
  advance(at.actor, at.instance, step.lane, now, cause);
}

void Engine::transfer_if_ready(const At& at, Time now, u32 cause) {
  // Neither end is ever more than one instance of the frame ahead, and one of the counts has just
  // caught up.
  if (message_state(at).posted != message_state(at).granted) return;
  const ScriptMessage& m = script(at.actor).messages[at.index];
  const Link& l = link(m);
  const Time occupied =
      std::max(l.gap, l.bandwidth.time(bytes(at, script(at.actor).steps[m.step])));
  Resource& out = out_[cast_.wires[cast_.actors[at.actor].first_wire + m.wire]];
  cause = path_.mark(cause, now + l.launch, Term::launch);
  now += l.launch;  // of all messages of a wire alike, so they queue in the order of their requests
  // Cut-through: the head leaves when the port is free, not when the tail has left.
  u32 first_byte = out.free > now ? out.cause : cause;
  const Time start = std::max(now, out.free), there = start + l.latency;
  reserve(out, now, cause, occupied, m.inter ? Term::inter_bandwidth : Term::intra_bandwidth);
  first_byte = path_.mark(first_byte, there, Term::latency);
  const Mate mate = cast_.mates[cast_.actors[at.actor].first_mate + at.index];
  schedule(there, What::head, {mate.actor, at.instance, mate.message}, first_byte);
}

void Engine::head(const At& at, Time now, u32 cause) {
  const ScriptMessage& m = script(at.actor).messages[at.index];
  const Link& l = link(m);
  const Time occupied =
      std::max(l.gap, l.bandwidth.time(bytes(at, script(at.actor).steps[m.step])));
  Resource& in = in_[cast_.wires[cast_.actors[at.actor].first_wire + m.wire]];
  now = reserve(in, now, cause, occupied, m.inter ? Term::inter_bandwidth : Term::intra_bandwidth);
  schedule(now, What::arrived, at, cause);
}

void Engine::arrived(const At& at, Time now, u32 cause) {
  const Link& l = link(script(at.actor).messages[at.index]);
  const Mate mate = cast_.mates[cast_.actors[at.actor].first_mate + at.index];
  schedule(now + l.latency, What::acked, {mate.actor, at.instance, mate.message},
           path_.mark(cause, now + l.latency, Term::latency));
  now = reserve(progress(at.actor), now, cause, l.receive_overhead, Term::overhead);
  schedule(now, What::received, at, cause);
}

void Engine::acked(const At& at, Time now, u32 cause) {
  const ScriptMessage& m = script(at.actor).messages[at.index];
  const At step_at{at.actor, at.instance, m.step};
  if (--step_state(step_at).missing) return;
  if (!script(at.actor).steps[m.step].signalled) return done(step_at, now, cause);
  now = reserve(progress(at.actor), now, cause, link(m).signal, Term::signalling);
  schedule(now, What::done, step_at, cause);
}

void Engine::count_down(const At& at, Time now, u32 cause) {
  if (--step_state(at).missing == 0) work(at, now, cause);
}

// All bytes are here: what is left is this rank's own work.
void Engine::work(const At& at, Time now, u32 cause) {
  const Script& s = script(at.actor);
  const ScriptStep& step = s.steps[at.index];
  const u64 n = bytes(at, step);
  switch (step.verb) {
    case Verb::recv_reduce:
      return kernel(at, now, cause, machine_.reduction.time(n * step.operands), Term::reduction);
    case Verb::reduce: return kernel(at, now, cause, machine_.reduction.time(n), Term::reduction);
    case Verb::copy: return kernel(at, now, cause, machine_.copy.time(n), Term::copy);
    case Verb::recv:
      if (eager(at, s.messages[step.first_message]))  // from the slot to where it belongs
        return kernel(at, now, cause, machine_.copy.time(n), Term::copy);
      return done(at, now, cause);
    case Verb::send: return;
  }
}

void Engine::kernel(const At& at, Time now, u32 cause, Time duration, Term term) {
  now += machine_.kernel_launch;
  cause = path_.mark(cause, now, Term::launch);
  now = reserve(memory_[at.actor], now, cause, duration, term) + machine_.kernel_finish;
  schedule(now, What::done, at, path_.mark(cause, now, Term::signalling));
}

void Engine::done(const At& at, Time now, u32 cause) {
  const Script& s = script(at.actor);
  step_state(at).done = true;
  const schedule::Lane lane = s.steps[at.index].lane;
  Lane& mine = lanes(at.actor, at.instance)[lane];
  const u32 before = mine.retired;
  while (mine.retired < mine.begun &&
         step_state({at.actor, at.instance, s.lane_begin[lane] + mine.retired}).done)
    ++mine.retired;
  if (mine.retired == before) return;
  u32& unretired = unretired_[std::size_t(at.actor) * options_.frames + frame(at.instance)];
  unretired -= mine.retired - before;
  if (unretired == 0) return retired(at, now, cause);
  for (schedule::Lane woken : s.dependents[lane]) advance(at.actor, at.instance, woken, now, cause);
}

void Engine::retired(const At& at, Time now, u32 cause) {
  --running_;
  if (now >= end_) end_ = now, end_cause_ = cause;
  const u64 next = u64(at.instance) + options_.frames;
  if (next < cast_.slices) start_instance(at.actor, u32(next), now, path_.hand_over(cause, now));
}

}  // namespace weft::simulate
