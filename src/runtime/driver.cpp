#include "runtime/driver.hpp"

#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <vector>

#include "base/thread.hpp"
#include "runtime/process.hpp"

namespace weft::runtime {

void expire(std::span<executor::Engine* const> engines) {
  const TimePoint now = Clock::now();
  for (executor::Engine* engine : engines) engine->expire(now);
}

// When the process ends by exit(), statics go one after the other while threads still run: ours
// stop first, so that none of them meets what is no longer there.
class Running {
 public:
  // Of this process: a child of fork() has none of its parent's threads. Never destroyed.
  static Running& all() {
    static std::atomic<Running*> current{nullptr};
    Running* known = current.load(std::memory_order_acquire);
    if (known && known->process_.is_here()) return *known;
    auto* const made = new Running;
    if (current.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return *made;
    delete made;
    return *known;
  }
  void add(ProgressThread* thread) {
    const std::lock_guard lock(mutex_);
    threads_.push_back(thread);
  }
  void remove(ProgressThread* thread) {
    const std::lock_guard lock(mutex_);
    std::erase(threads_, thread);
  }
  bool stop() const { return stop_.load(std::memory_order_relaxed); }

 private:
  Running() {
    std::atexit(+[] { all().stop_all(); });
  }
  void stop_all() {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    for (ProgressThread* const thread : threads_) thread->wake();
    // One that is held up, in a callback say, must not keep the process.
    const Deadline patience = Deadline::after(std::chrono::milliseconds(200));
    const auto running = [](const ProgressThread* thread) { return !thread->ended(); };
    while (std::any_of(threads_.begin(), threads_.end(), running) && !patience.passed())
      std::this_thread::yield();
    for (ProgressThread* const thread : threads_)
      if (thread->ended()) thread->join();
  }

  const ProcessMark process_;
  std::mutex mutex_;
  std::vector<ProgressThread*> threads_;
  std::atomic<bool> stop_{false};
};

ProgressThread::ProgressThread(executor::Engine& engine, bool crowded,
                               std::function<void(Request&)> begin)
    : engine_(engine),
      begin_(std::move(begin)),
      bell_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      crowded_(crowded) {}

Result<std::unique_ptr<ProgressThread>> ProgressThread::make(executor::Engine& engine, bool crowded,
                                                             std::function<void(Request&)> begin) {
  std::unique_ptr<ProgressThread> made(new ProgressThread(engine, crowded, std::move(begin)));
  if (!made->bell_) return fail_errno(errno, "making the bell of a progress thread");
  try {
    made->start();
  } catch (const std::system_error& error) {
    return fail(Code::system_error,
                "starting a progress thread: {}: raise the limit of threads (ulimit -u), or leave "
                "WEFT_PROGRESS=caller",
                error.what());
  }
  return made;
}

void ProgressThread::start() {
  thread_ = start_thread([this] {
    run();
    ended_.store(true, std::memory_order_release);
  });
  Running::all().add(this);
}

ProgressThread::~ProgressThread() {
  Running::all().remove(this);
  ending_.store(true);
  wake();
  join();
}

void ProgressThread::join() {
  if (thread_.joinable()) thread_.join();
}

void ProgressThread::submit(Request& request) {
  queue_[head_++ % queue_.size()].store(&request, std::memory_order_seq_cst);
  wake();
}

// Rings only for a sleeper: who is awake looks at the queue by himself.
void ProgressThread::wake() {
  if (asleep_.load(std::memory_order_seq_cst)) (void)!::eventfd_write(bell_.get(), 1);
}

Request* ProgressThread::take() {
  Request* const request =
      queue_[tail_ % queue_.size()].exchange(nullptr, std::memory_order_seq_cst);
  if (request) ++tail_;
  return request;
}

void ProgressThread::begin_queued() {
  while (!engine_.full()) {
    Request* const request = take();
    if (!request) return;
    begin_(*request);
  }
}

void ProgressThread::run() {
  executor::Engine* const engines[] = {&engine_};
  executor::Waiter waiter(crowded_, bell_.get());
  const Running& running = Running::all();
  for (u64 idle = 0; !running.stop();) {
    begin_queued();
    if (engine_.poll()) {
      waiter.progressed();
      continue;
    }
    if (ending_.load() && engine_.idle()) return;
    const bool slept = waiter.will_sleep() ? sleep(waiter) : waiter.idle(engines);
    if (slept || ++idle % polls_between_clocks == 0) expire(engines);
  }
}

// Who submits either sees the flag and rings, or has put his request where it is seen here.
bool ProgressThread::sleep(executor::Waiter& waiter) {
  executor::Engine* const engines[] = {&engine_};
  asleep_.store(true, std::memory_order_seq_cst);
  const bool called =
      queue_[tail_ % queue_.size()].load(std::memory_order_seq_cst) || ending_.load();
  const bool slept = !called && waiter.idle(engines);
  asleep_.store(false, std::memory_order_seq_cst);
  eventfd_t rung;
  if (slept) (void)!::eventfd_read(bell_.get(), &rung);
  return slept;
}

}  // namespace weft::runtime
