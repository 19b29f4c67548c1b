// Who moves a communicator's operations: the thread that waits, or a thread of the library.
//
// Threads: submit, test and wait are for the communicator's user; with a progress thread everything
// behind `submit` happens there, through a lock-free queue.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "base/handle.hpp"
#include "executor/engine.hpp"
#include "executor/waiter.hpp"
#include "runtime/request.hpp"

namespace weft::runtime {

// Fails the oldest operation of each engine whose deadline has passed.
void expire(std::span<executor::Engine* const> engines);
inline constexpr u64 polls_between_clocks = 256;  // a look at the clock costs more than a poll

// Polls engines until `done`, minding deadlines. Returns when done, whatever the outcome of
// operations.
template <class Done>
void drive(std::span<executor::Engine* const> engines, executor::Waiter& waiter, Done done) {
  for (u64 idle = 0; !done();) {
    bool moved = false;
    for (executor::Engine* engine : engines) moved |= engine->poll();
    if (moved)
      waiter.progressed();
    else if (waiter.idle(engines) || ++idle % polls_between_clocks == 0)
      expire(engines);
  }
}

// Requests of one communicator: those a user may leave unwaited, and the library's own.
inline constexpr u32 most_requests = executor::max_unwaited + executor::max_runtime;

class ProgressThread {
 public:
  // `begin` hands a request to the engine; called on the thread.
  static Result<std::unique_ptr<ProgressThread>> make(executor::Engine& engine, bool crowded,
                                                      std::function<void(Request&)> begin);
  ~ProgressThread();  // finishes what is queued, then ends
  void submit(Request& request);
  void wake();  // something outside the queue has changed: a deadline
  bool ended() const { return ended_.load(std::memory_order_acquire); }
  void join();          // once it has ended, or will
  void begin_queued();  // on the thread; once it has ended, on the user's

 private:
  ProgressThread(executor::Engine& engine, bool crowded, std::function<void(Request&)> begin);
  void start();
  void run();
  bool sleep(executor::Waiter& waiter);
  Request* take();

  executor::Engine& engine_;
  std::function<void(Request&)> begin_;
  Fd bell_;
  bool crowded_;
  std::array<std::atomic<Request*>, most_requests> queue_{};
  u64 head_ = 0;  // the user's
  u64 tail_ = 0;  // the thread's
  std::atomic<bool> asleep_{false}, ending_{false}, ended_{false};
  std::thread thread_;
};

}  // namespace weft::runtime
