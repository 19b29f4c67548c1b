// The progress engine of one rank: runs operations slice by slice in frames, over the channels of a
// Fabric.
//
// Whoever wants progress calls poll(): the thread that waits for its operation, or a progress
// thread. The rules of issue and retirement are those the verifier proves with
// (src/schedule/README.md); a Tracer records them. Nothing here allocates, locks or logs once a
// plan's frames have their size. Errors: the first one poisons the engine; all operations in flight
// and all later ones fail. Threads: one at a time.
#pragma once
#include <bit>
#include <functional>
#include <mutex>
#include <optional>

#include "executor/frame.hpp"
#include "executor/ledger.hpp"
#include "executor/standing.hpp"
#include "executor/tracer.hpp"

namespace weft::executor {

struct Settings {
  u32 rank = 0;
  channel::Options channels;
  std::vector<channel::Route> routes;
  std::function<std::string(const Signature&)> describe;  // "all_reduce(count 10, float, sum)"
  bool trace = false;  // records every step, for `weft verify --trace`
  bool times = false;  // and when, for `weft trace`
  // Told of an error before it becomes one, with the rank that saw it and, of a time-out, the call:
  // how long to wait for a verdict, which knows better (`condemn`). None: no time at all.
  std::function<Duration(const Error&, u32 origin, u64 call)> consult;
};

// Operations from the oldest unfinished one on: those not waited for, a few of the runtime's own
// (one of a blocking call, one that plans, one that leaves), and those that frames let overtake it.
inline constexpr u32 max_unwaited = 256, max_runtime = 3, max_frames = 64;
inline constexpr u32 max_in_flight = std::bit_ceil(max_unwaited + max_runtime + max_frames);

class Engine final : private channel::Listener {
 public:
  explicit Engine(Settings settings);
  ~Engine() {
    if (!poison_) fabric_.withdraw_loans();  // an error has done so already
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  channel::Fabric& fabric() { return fabric_; }
  bool full() const { return next_call_ - oldest_ == max_in_flight; }
  bool idle() const { return next_call_ == oldest_; }
  // Takes the operation; it is done when operation.done(). Requires !full(). Never blocks.
  void start(Operation& operation);
  // True if anything moved.
  bool poll();

  const std::optional<Error>& poison() const { return poison_; }
  Code error() const { return Code(error_code_.load()); }  // from any thread
  // False: poisoned, and what is still to be sent may refer to memory that callers have back.
  bool may_poll() const { return !poison_ || lingers_; }
  // Poisons, at the next poll, with an error of this rank.
  void fail(const Error& error) { failed(error, settings_.rank); }

  // ---- from any thread: standing.cpp
  // Poisons at the next poll, with words that are final. The first holds.
  void condemn(const Error& verdict);
  bool is_condemned() const { return condemned_.load(std::memory_order_acquire); }
  std::optional<Error> verdict() const;
  // Has the next poll publish what the oldest operation waits for, and what `call` is here.
  void ask(u64 call);
  Standing standing() const;

  // Fails the oldest operation whose deadline has passed, if any, saying who is waited for.
  void expire(TimePoint now);

  // Leaving: say_bye, then poll until all_left, so that nothing under way to a peer is cut off.
  void say_bye() {
    if (may_poll()) fabric_.say_bye();
  }
  bool all_left() { return !may_poll() || fabric_.all_left(); }

  Tracer* tracer() { return tracer_ ? &*tracer_ : nullptr; }

 private:
  void can_send(channel::SendChannel& channel) override;
  void can_receive(channel::RecvChannel& channel) override;
  void sent(transport::Cookie cookie) override;
  void saw_call(transport::Peer from, channel::CallMark mark) override;
  void explained(transport::Peer from, const channel::Explain& explain) override;
  void failed(const Error& error, u32 origin) override;
  void departed(transport::Peer peer) override;
  std::string describe_item(const channel::RecvChannel& channel, u32 call,
                            u64 bytes) const override;

  void make_room(const Plan& plan);
  bool start_instances();
  bool run_frames();
  void wake(Frame& frame, u8 lane);
  void try_later(Frame& frame, u32 lane);  // its transport is busy
  void begin(Frame& frame, Operation& operation);
  void finish(Frame& frame);
  // staging.cpp: elements that are changed on their way in and out
  void stage_in(Frame& frame);
  void stage_out(Frame& frame);
  bool conclude_flushed();
  bool waits_for_verdict();
  void carry_out_failure();

  // standing.cpp
  void attend();
  void publish();
  void count(u64& counter, u64 value) {  // read by other threads
    std::atomic_ref(counter).store(value, std::memory_order_relaxed);
  }

  // describe.cpp
  template <class Visit>
  void visit_waits(const Operation& operation, Visit visit);
  bool waits_for(const Frame& frame, const LoweredStep& s, u32 end) const;
  std::string describe_message(const Frame& frame, const LoweredStep& s, u32 end) const;
  std::string describe_wait(const Operation& operation);

  void conclude(Operation& operation, const Error* error);
  void mismatch(transport::Peer peer, u32 call, const Signature& mine);
  void miss_departed();
  void settle(transport::Peer peer, u32 call, const Signature* theirs);

  // short.cpp
  bool run_short(Frame& frame);
  void begin_short(Frame& frame, u32 step);
  bool move_short(Frame& frame, u32 step, bool& moved);
  bool send_light(Frame& frame, const LoweredStep& s);
  bool receive_light(Frame& frame, u32 step);
  bool hold(Frame& frame, u32 step);
  bool reduce_held(Frame& frame, u32 step);

  // lane.cpp
  bool run_lane(Frame& frame, u32 lane);
  bool may_issue(const Frame& frame, u32 lane) const;
  void issue(Frame& frame, u32 step);
  void queue_messages(Frame& frame, const LoweredStep& s, u32 issue_number);
  bool retire_done(Frame& frame, u32 lane);

  // move.cpp: true when the step is done; `moved` tells whether anything happened
  bool advance(Frame& frame, const LoweredStep& s, bool& moved);
  bool advance_send(Frame& frame, const LoweredStep& s, bool& moved);
  bool push(Frame& frame, const LoweredStep& s, u32 end, bool& moved);
  bool lend(Frame& frame, const LoweredStep& s, u32 end, bool& moved);
  bool lend_stretch(Frame& frame, const LoweredStep& s, u32 end);
  bool announce(Frame& frame, const LoweredStep& s, u32 end, bool& moved);
  bool advance_receive(Frame& frame, const LoweredStep& s, bool& moved);
  void do_locally(Frame& frame, const LoweredStep& s);
  template <class Incoming>
  u32 gather(Frame& frame, const LoweredStep& s, const channel::Run& run, u64 offset,
             Incoming incoming);
  template <class Incoming>
  void combine(Frame& frame, const LoweredStep& s, const channel::Run& run, u64 offset, u64 bytes,
               Incoming incoming);
  void offer_destination(const Frame& frame, const LoweredStep& s, const EndState& at);
  bool at_turn(const Frame& frame, const LoweredStep& s);
  bool is_sound(const Frame& frame, const LoweredStep& s, u32 end);
  const char* fault_of(const Frame& frame, const LoweredStep& s, u32 end) const;
  bool enter_loans(const Frame& frame, const LoweredStep& s);
  u64 take(Frame& frame, const LoweredStep& s, const EndState& at);
  // store.cpp
  bool lands(const Frame& frame, u32 end) const;
  void store(Frame& frame, const LoweredStep& s, std::byte* target, const std::byte* source,
             u64 bytes);
  void store_reduced(Frame& frame, const LoweredStep& s, std::byte* target, u32 operands,
                     u64 bytes);

  Settings settings_;
  channel::Fabric fabric_;
  std::vector<Frame> frames_;
  u64 awake_ = 0, drowsy_ = 0;  // frames, a bit each: with lanes in `dirty`, in `later`
  PlanSize room_;               // that every frame has
  // Operations by number of their call: [oldest_, next_call_) are here, nullptr once done;
  // [starting_, next_call_) have slices that have not begun.
  std::array<Operation*, max_in_flight> operations_{};
  u64 oldest_ = 0, starting_ = 0, next_call_ = 0;
  u64 next_instance_ = 0;
  // Retired on this rank, but bytes for peers may still be here: nobody polls once the caller has
  // left.
  std::vector<Operation*> flushing_;
  std::vector<const std::byte*> operands_;   // of a fan, by position
  std::vector<channel::LoanGate*> entered_;  // of the receive under way
  std::vector<std::byte*> landings_;         // where else its result is stored
  bool someone_departed_ = false;
  std::optional<Tracer> tracer_;

  CallLedger ledger_;
  channel::CallMark last_mark_;  // of the call made last
  struct Dispute {
    transport::Peer peer;
    u32 call;
    Signature mine;
    Deadline answer;
  };
  std::optional<Dispute> dispute_;  // a mismatch whose other side has been asked for
  std::optional<std::pair<transport::Peer, channel::Explain>> early_explain_;
  std::optional<std::pair<Error, u32>> failure_;  // seen, with its origin; poll() carries it out
  std::optional<Error> poison_;
  std::atomic<int> error_code_{0};
  bool is_final_ = false;         // failure_ is a verdict
  std::optional<Deadline> hold_;  // of a failure that waits for one
  u64 failed_call_ = 0;           // of a failure that is a time-out
  // What other threads want: looked at by each poll.
  enum Attention : u32 { to_publish = 1, to_end = 2 };
  std::atomic<u32> attention_{0};
  std::atomic<bool> condemned_{false};
  mutable std::mutex standing_mutex_;  // of the two below
  std::optional<Error> verdict_;
  Standing standing_;
  u64 asked_call_ = 0;
  // Poisoned, but nothing that is still to be sent refers to callers' memory: polling does no harm.
  bool lingers_ = false;
};

}  // namespace weft::executor
