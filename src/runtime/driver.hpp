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

// Polls engines until `done`, minding deadlines. Returns when done, whatever the outcome of
// operations.
void drive(std::span<executor::Engine* const> engines, executor::Waiter& waiter,
           const std::function<bool()>& done);

// Requests of one communicator: those a user may leave unwaited, and two of the library's own.
inline constexpr u32 most_requests = executor::max_unwaited + 2;

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
