/**
 * @file request.hpp
 * @brief Calls that are under way (Request) and calls that are planned once (Operation).
 *
 * There is no `co_await` on a request: unless a thread of the library drives, a call makes progress
 * only in calls of the program, so a suspended coroutine that nobody polls would never resume.
 *
 * Lifetime: both keep their communicator alive; destroy them first all the same, since ranks leave
 * a communicator together. Threads: those of their communicator, one at a time.
 */
#pragma once
#include <chrono>
#include <concepts>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <utility>

#include "weft/group.hpp"

namespace weft {
inline namespace v0 {
namespace detail {

/** A callable that is called once, from C. */
struct Completion {
  virtual ~Completion() = default;
  virtual void call(Code outcome) noexcept = 0;
  static void enter(void* completion, weft_result_t outcome) {
    static_cast<Completion*>(completion)->call(Code(int(outcome)));
  }
};

template <class Callable>
struct CompletionOf final : Completion {
  explicit CompletionOf(Callable given) : callable(std::move(given)) {}
  void call(Code outcome) noexcept override { std::invoke(callable, outcome); }
  Callable callable;
};

/** How a request ends that nobody waited for, and what it needs until then. */
struct RequestEnd {
  void operator()(weft_request_t request) const noexcept {
    if (weft_test(&request) != weft_in_progress) return;
    // The buffers are about to go, and this rank's part with them: the call cannot succeed.
    weft_comm_abort(member->handle);
    weft_wait(&request, 0);
  }
  Member member;
  std::shared_ptr<const void> kept;
  std::unique_ptr<Completion> completion;
};

}  // namespace detail

/**
 * One call on its way, as the `_start` functions give it. Its buffers belong to the library until
 * test() or wait_for() has returned true, wait() has returned, or one of them has thrown.
 *
 * Whoever drops a request that is still under way ends the communicator: the destructor aborts it
 * on all ranks, waits the moment until the buffers are free, and never throws. An empty request
 * (default constructed, moved from, or ended) counts as done.
 */
class [[nodiscard]] Request {
 public:
  /** Empty: counts as done. */
  Request() = default;

  /** True once the call has ended well; makes progress where the caller's thread drives. Throws
   * the call's Error, once. */
  bool test() {
    if (!handle_) return true;
    return !still_runs([](weft_request_t* request) { return weft_test(request); });
  }

  /** Returns when the call has ended well. Throws its Error, among them Code::timed_out after the
   * communicator's timeout. */
  void wait() { wait(Seconds{0}); }
  /** The same with a timeout of this call's: when it passes first, the call fails (timed_out) and
   * the communicator with it. 0: the communicator's. */
  void wait(Seconds timeout) {
    if (!handle_) return;
    still_runs([&](weft_request_t* request) { return weft_wait(request, timeout.count()); });
  }

  /** Waits until the call has ended, at most `duration`; false: it goes on, unharmed. Throws as
   * test(). Polls, at first without a pause. */
  template <class Count, class Period>
  bool wait_for(std::chrono::duration<Count, Period> duration) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(duration);
    for (int polls = 0; !test(); ++polls) {
      if (Clock::now() >= end) return false;
      if (polls > 1000)
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      else
        std::this_thread::yield();
    }
    return true;
  }

  /**
   * Has `callable(Code)` called once when the call has ended, with its outcome: on the library's
   * thread where one drives, else inside any call of this communicator; at once if it has ended. It
   * may use the buffers, must not throw (std::terminate) and must not call this library. One a
   * request. The request is still to be tested or waited for.
   */
  template <std::invocable<Code> Callable>
  void on_completion(Callable callable) {
    if (!handle_ || handle_.get_deleter().completion)
      throw Error(Code::invalid_argument,
                  handle_ ? "the request has a callback already" : "the request has ended");
    auto& completion = handle_.get_deleter().completion;
    completion = std::make_unique<detail::CompletionOf<Callable>>(std::move(callable));
    const weft_result_t result =
        weft_request_on_completion(handle_.get(), detail::Completion::enter, completion.get());
    if (result != weft_ok) completion.reset();
    detail::check(result);
  }

  /** Whether there is a call that has neither been tested to its end nor waited for. */
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  /** For the C API; stays owned by this object. */
  weft_request_t native_handle() const noexcept { return handle_.get(); }

 private:
  friend class Operation;
  friend class Calls;
  Request(weft_request_t handle, detail::Member member, std::shared_ptr<const void> kept)
      : handle_(handle, {std::move(member), std::move(kept), nullptr}) {}

  // Does what `call` does with the handle, and lets go of what the request held if that ended it.
  template <class Call>
  bool still_runs(Call call) {
    weft_request_t request = handle_.get();
    const weft_result_t result = call(&request);
    if (result == weft_in_progress) return true;
    detail::RequestEnd held;  // let go of once the text of an error has been read
    if (request == nullptr) {
      static_cast<void>(handle_.release());
      held = std::exchange(handle_.get_deleter(), {});
    }
    detail::check(result);
    return false;
  }

  std::unique_ptr<weft_request, detail::RequestEnd> handle_;
};

/** Waits for all of them, then throws the first Error, if any. */
inline void wait_all(std::span<Request> requests) {
  std::exception_ptr first;
  for (Request& request : requests) {
    try {
      request.wait();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

namespace detail {

struct OperationEnd {
  void operator()(weft_operation_t operation) noexcept {
    request = {};
    weft_operation_free(operation);
  }
  Member member;
  std::shared_ptr<const void> kept;
  Request request;  // of the last start
};

}  // namespace detail

/**
 * A call planned once, as the `_init` functions give it, and started many times on the same
 * buffers, which must outlive it:
 *
 *     weft::Operation sum = comm.all_reduce_init(gradients);
 *     for (...) {
 *       sum.start();
 *       ...
 *       sum.wait();
 *     }
 *
 * It runs once at a time, so it holds its request itself. Destroyed while running, it does as
 * Request does.
 */
class [[nodiscard]] Operation {
 public:
  /** Empty: start() throws. */
  Operation() = default;

  /** Starts it, in order with the communicator's other calls. Throws Error (invalid_argument) if
   * its last start has not been waited for, or code aborted after an earlier error. */
  Request& start() {
    if (request())
      throw Error(Code::invalid_argument, "the operation is still running: wait for it first");
    weft_request_t started = nullptr;
    detail::check(weft_operation_start(handle_.get(), &started));
    request() = Request(started, handle_.get_deleter().member, nullptr);
    return request();
  }
  /** Of the last start; empty when that has ended. */
  Request& request() noexcept { return handle_.get_deleter().request; }
  /** As Request::test of the last start; true if there was none. */
  bool test() { return request().test(); }
  /** As Request::wait of the last start; returns at once if there was none. */
  void wait() { request().wait(); }

  /** Whether there is a plan, running or not. */
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  /** For the C API; stays owned by this object. */
  weft_operation_t native_handle() const noexcept { return handle_.get(); }

 private:
  friend class Calls;
  Operation(weft_operation_t handle, detail::Member member, std::shared_ptr<const void> kept)
      : handle_(handle, {std::move(member), std::move(kept), {}}) {}

  std::unique_ptr<weft_operation, detail::OperationEnd> handle_;
};

/** A call that owns its buffers: get() gives the result. Dropped while under way, it does as
 * Request does, and frees the buffers after. */
template <class Value>
class [[nodiscard]] Future {
 public:
  /** Holds nothing: valid() is false. */
  Future() = default;

  /** False once get() has returned or thrown. */
  bool valid() const noexcept { return state_ != nullptr; }
  /** Whether get() would return at once. Throws the call's Error, and then holds nothing. */
  bool test() {
    return ended([](Request& request) { return request.test(); });
  }
  /** Waits at most `duration` for that. */
  template <class Count, class Period>
  bool wait_for(std::chrono::duration<Count, Period> duration) {
    return ended([&](Request& request) { return request.wait_for(duration); });
  }
  /** Waits and gives the result, once. Throws the call's Error. */
  Value get() {
    const auto state = std::exchange(state_, nullptr);
    if (!state) throw Error(Code::invalid_argument, "the future's result was taken already");
    state->request.wait();
    return std::move(state->output);
  }

 private:
  friend class Calls;
  struct State {
    Value input = {};
    Value output = {};
    Request request = {};  // last: it ends first
  };
  template <class Ask>
  bool ended(Ask ask) {
    if (!state_) return true;
    auto state = std::exchange(state_, nullptr);
    const bool done = ask(state->request);
    state_ = std::move(state);
    return done;
  }
  std::unique_ptr<State> state_;
};

}  // namespace v0
}  // namespace weft
