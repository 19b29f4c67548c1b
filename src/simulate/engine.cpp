#include "simulate/engine.hpp"

#include <algorithm>

namespace weft::simulate {
namespace {

// The key of an event: what 4, instance 17, index 23, actor 20 bits, the first highest.
constexpr u32 actor_bits = 20, index_bits = 23, instance_bits = 17;

}  // namespace

Engine::Engine(const Cast& cast, const Machine& machine, const Options& options)
    : cast_(cast), machine_(machine), options_(options), path_(options.path) {
  const u32 frames = options_.frames;
  Seat next;
  for (u32 a = 0; a < cast_.actors.size(); ++a) {
    seat_.push_back(next);
    const Script& s = script(a);
    next.lane += s.lanes(), next.step += u32(s.steps.size());
    next.message += u32(s.messages.size());
  }
  seat_.push_back(next);
  lanes_.resize(std::size_t(next.lane) * frames);
  steps_.resize(std::size_t(next.step) * frames);
  messages_.resize(std::size_t(next.message) * frames);
  unretired_.resize(cast_.actors.size() * frames);
  progress_.resize(cast_.actors.size()), memory_.resize(cast_.actors.size());
  out_.resize(cast_.resource.size()), in_.resize(cast_.resource.size());
  running_ = cast_.slices * cast_.actors.size();
}

Engine::Lane* Engine::lanes(u32 actor, u32 instance) {
  const u32 size = seat_[actor + 1].lane - seat_[actor].lane;
  return lanes_.data() + std::size_t(seat_[actor].lane) * options_.frames + frame(instance) * size;
}

Engine::StepState& Engine::step_state(const At& at) {
  const u32 size = seat_[at.actor + 1].step - seat_[at.actor].step;
  return steps_[std::size_t(seat_[at.actor].step) * options_.frames + frame(at.instance) * size +
                at.index];
}

Engine::MessageState& Engine::message_state(const At& at) {
  const u32 size = seat_[at.actor + 1].message - seat_[at.actor].message;
  return messages_[std::size_t(seat_[at.actor].message) * options_.frames +
                   frame(at.instance) * size + at.index];
}

bool Engine::eager(const At& at, const ScriptMessage& m) const {
  return bytes(at, script(at.actor).steps[m.step]) <= link(m).eager_bytes;
}

void Engine::schedule(Time time, What what, At at, u32 cause) {
  const u64 key = u64(what) << (actor_bits + index_bits + instance_bits) |
                  u64(at.instance) << (actor_bits + index_bits) | u64(at.index) << actor_bits |
                  at.actor;
  heap_.push({time, key, cause});
}

// First come, first served. `cause` becomes the end of the use.
Time Engine::reserve(Resource& resource, Time earliest, u32& cause, Time duration, Term term) {
  const bool queued = resource.free > earliest;
  const Time start = queued ? resource.free : earliest;
  if (duration == 0) {
    if (queued) cause = resource.cause;
    return start;
  }
  resource.free = start + duration;
  resource.busy += duration;
  cause = resource.cause = path_.mark(queued ? resource.cause : cause, resource.free, term);
  return resource.free;
}

Status Engine::run() {
  const u32 call = path_.mark(0, machine_.call, Term::call);
  // Every actor's frames are open before anything happens, and slots with them.
  const u32 first = u32(std::min<u64>(options_.frames, cast_.slices));
  for (u32 a = 0; a < cast_.actors.size(); ++a)
    for (u32 s = 0; s < first; ++s)
      for (u32 m = 0; m < script(a).messages.size(); ++m) {
        const ScriptMessage& message = script(a).messages[m];
        const At at{a, s, m};
        if (script(a).steps[message.step].sends() && eager(at, message))
          message_state(at).granted = bytes(at, script(a).steps[message.step]) ? 1 : 0;
      }
  for (u32 a = 0; a < cast_.actors.size(); ++a) start_instance(a, 0, machine_.call, call);
  while (!heap_.empty()) {
    handle(heap_.pop());
    ++events_;
  }
  if (running_ == 0) return {};
  return fail(
      Code::invalid_argument,
      "the schedule deadlocks with {} frames: {} instances have not ended; weft verify says "
      "which steps wait for each other",
      options_.frames, running_);
}

void Engine::handle(const Event& event) {
  const u64 key = event.key;
  const At at{u32(key & ((1u << actor_bits) - 1)),
              u32(key >> (actor_bits + index_bits) & ((1u << instance_bits) - 1)),
              u32(key >> actor_bits & ((1u << index_bits) - 1))};
  const Time now = event.time;
  switch (What(key >> (actor_bits + index_bits + instance_bits))) {
    case What::posted: {
      const ScriptMessage& m = script(at.actor).messages[at.index];
      const ScriptStep& step = script(at.actor).steps[m.step];
      ++message_state(at).posted;
      transfer_if_ready(at, now, event.cause);
      if (at.index + 1 == step.first_message + step.messages)
        issued({at.actor, at.instance, m.step}, now, event.cause);
      return;
    }
    case What::granted: ++message_state(at).granted; return transfer_if_ready(at, now, event.cause);
    case What::head: return head(at, now, event.cause);
    case What::arrived: return arrived(at, now, event.cause);
    case What::received:
      return count_down({at.actor, at.instance, script(at.actor).messages[at.index].step}, now,
                        event.cause);
    case What::acked: return acked(at, now, event.cause);
    case What::issued: return issued(at, now, event.cause);
    case What::done: return done(at, now, event.cause);
    case What::started: return started(at, now, event.cause);
  }
}

Result<Outcome> simulate(const Cast& cast, const Machine& machine, const Options& options) {
  u64 largest = 0;
  for (const Script& script : cast.scripts)
    largest = std::max<u64>({largest, script.messages.size(), script.steps.size()});
  if (options.frames == 0)
    return fail(Code::invalid_argument, "a simulation needs at least one frame");
  if (cast.actors.size() >= 1u << actor_bits || largest >= 1u << index_bits ||
      cast.slices >= 1u << instance_bits)
    return fail(
        Code::invalid_argument,
        "too large to simulate: {} different ranks (below {}), {} messages of a rank (below "
        "{}), {} slices (below {}); use larger slices",
        cast.actors.size(), 1u << actor_bits, largest, 1u << index_bits, cast.slices,
        1u << instance_bits);
  Options capped = options;
  capped.frames = u32(std::min<u64>(options.frames, cast.slices));
  Engine engine(cast, machine, capped);
  WEFT_TRY(engine.run());
  return engine.outcome();
}

}  // namespace weft::simulate
