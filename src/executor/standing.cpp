// What other threads want of an engine, and are told: the verdict about it, and how it stands.
#include "executor/engine.hpp"

namespace weft::executor {

void Engine::condemn(const Error& verdict) {
  const std::lock_guard lock(standing_mutex_);
  if (verdict_) return;
  verdict_ = verdict;
  condemned_.store(true, std::memory_order_release);
  attention_.fetch_or(to_end, std::memory_order_release);
}

std::optional<Error> Engine::verdict() const {
  const std::lock_guard lock(standing_mutex_);
  return verdict_;
}

void Engine::ask(u64 call) {
  const std::lock_guard lock(standing_mutex_);
  asked_call_ = call;
  attention_.fetch_or(to_publish, std::memory_order_release);
}

Standing Engine::standing() const {
  // They are written by the thread that drives, which alone reads them as plain numbers.
  auto& made = const_cast<u64&>(next_call_);
  auto& done = const_cast<u64&>(oldest_);
  const std::lock_guard lock(standing_mutex_);
  Standing now = standing_;
  now.done = std::atomic_ref(done).load(std::memory_order_relaxed);
  now.made = std::atomic_ref(made).load(std::memory_order_relaxed);
  return now;
}

// At a poll that finds something wanted.
void Engine::attend() {
  const u32 wanted = attention_.exchange(0, std::memory_order_acquire);
  if (wanted & to_publish) publish();
  if (!(wanted & to_end)) return;
  failure_ = {*verdict(), settings_.rank};
  is_final_ = true;
}

}  // namespace weft::executor
