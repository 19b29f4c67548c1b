// The event loop: actors, their frames and lanes, and the resources they queue at.
//
// Everything is counters in a few flat arrays, laid out once. Resources serve in the order in which
// they are asked, so a queue is one number: when it is free again. Threads: one.
#pragma once
#include <vector>

#include "simulate/heap.hpp"
#include "simulate/simulate.hpp"

namespace weft::simulate {

class Engine {
 public:
  Engine(const Cast& cast, const Machine& machine, const Options& options);
  Status run();
  Outcome outcome() const;

 private:
  // What happens; the actor is the one it happens at, the index a message or a step of its script.
  enum class What : u8 {
    posted,    // send's message: handed over; the last of a step says that the step has issued
    granted,   // send's message: the receiver's leave has come
    head,      // receive's message: its first byte is at the port
    arrived,   // receive's message: its last byte is there
    received,  // receive's message: noticed
    acked,     // send's message: completion is here
    issued,    // step, other than a send of messages
    done,      // step
    started,   // instance
  };
  struct At {
    u32 actor, instance, index;
  };
  struct Resource {
    Time free = 0, busy = 0;
    u32 cause = 0;
  };
  struct Lane {
    u32 begun = 0, retired = 0;  // steps of the instance
    bool issuing = false;
  };
  struct StepState {
    u32 missing = 0;  // messages, and for a receive its own issue
    bool done = false;
  };
  struct MessageState {
    u32 posted = 0, granted = 0;  // over the instances of a frame that have the message
  };
  struct Seat {  // of an actor: where its state begins
    u32 lane = 0, step = 0, message = 0;
  };

  const Script& script(u32 actor) const { return cast_.scripts[cast_.actors[actor].script]; }
  const Link& link(const ScriptMessage& m) const {
    return m.inter ? machine_.inter : machine_.intra;
  }
  Part part(u32 instance) const { return instance + 1 == cast_.slices ? tail : body; }
  u64 bytes(const At& at, const ScriptStep& step) const { return step.bytes[part(at.instance)]; }
  bool eager(const At& at, const ScriptMessage& m) const;

  u32 frame(u32 instance) const { return instance % options_.frames; }
  Lane* lanes(u32 actor, u32 instance);
  StepState& step_state(const At& at);
  MessageState& message_state(const At& at);

  void schedule(Time time, What what, At at, u32 cause);
  void handle(const Event& event);
  Time reserve(Resource& resource, Time earliest, u32& cause, Time duration, Term term);
  Resource& progress(u32 actor) { return progress_[actor]; }

  void start_instance(u32 actor, u32 instance, Time now, u32 cause);
  void started(const At& at, Time now, u32 cause);
  void retired(const At& at, Time now, u32 cause);
  void advance(u32 actor, u32 instance, u32 lane, Time now, u32 cause);
  bool may_begin(const Script& script, const Lane* lanes, u32 lane) const;
  void begin(const At& at, Time now, u32 cause);
  void issue_receive(const At& at, Time now, u32 cause);
  void grant(const At& at, u32 m, Time now, u32 cause);
  void post_all(const At& at, Time now, u32 cause);
  void issued(const At& at, Time now, u32 cause);
  void transfer_if_ready(const At& at, Time now, u32 cause);
  void head(const At& at, Time now, u32 cause);
  void arrived(const At& at, Time now, u32 cause);
  void acked(const At& at, Time now, u32 cause);
  void count_down(const At& at, Time now, u32 cause);
  void work(const At& at, Time now, u32 cause);
  void kernel(const At& at, Time now, u32 cause, Time duration, Term term);
  void done(const At& at, Time now, u32 cause);

  const Cast& cast_;
  const Machine& machine_;
  const Options options_;
  std::vector<Seat> seat_;   // of each actor, one more at the end
  std::vector<Lane> lanes_;  // by actor, frame, lane; the others alike
  std::vector<StepState> steps_;
  std::vector<MessageState> messages_;
  std::vector<u32> unretired_;  // steps, by actor and frame
  std::vector<Resource> progress_, memory_, out_, in_;
  Heap heap_;
  Path path_;
  u64 events_ = 0, running_ = 0;  // instances that have not retired, over all actors
  Time end_ = 0;
  u32 end_cause_ = 0;
};

}  // namespace weft::simulate
