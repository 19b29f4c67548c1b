#include "executor/waiter.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace weft::executor {
namespace {

constexpr u64 spins = 2000;  // idle polls before the first yield, some tens of microseconds
constexpr Duration patience = std::chrono::milliseconds(1);
constexpr Duration longest_sleep = std::chrono::milliseconds(20);

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

Waiter::Waiter(bool crowded, int extra_fd) : crowded_(crowded), extra_fd_(extra_fd) {
  fds_.reserve(64);
}

// The clock is read now and then only: yielding may be cheap when nobody else wants the core.
bool Waiter::will_sleep() const {
  const u64 yields = idle_ + 1 - (crowded_ ? 0 : spins);
  return (crowded_ || idle_ + 1 >= spins) && yields % 16 == 15 && Clock::now() - since_ >= patience;
}

bool Waiter::idle(std::span<Engine* const> engines) {
  const bool sleeps = will_sleep();
  ++idle_;
  if (!crowded_ && idle_ < spins) {
    relax();
    return false;
  }
  if (idle_ <= (crowded_ ? 1 : spins)) since_ = Clock::now();
  if (!sleeps) {
    ::sched_yield();
    return false;
  }
  sleep(engines);
  return true;
}

void Waiter::sleep(std::span<Engine* const> engines) {
  fds_.clear();
  if (extra_fd_ >= 0) fds_.push_back({extra_fd_, POLLIN, 0});
  bool quiet = true;
  for (Engine* engine : engines) {
    if (!engine->may_poll()) continue;  // nobody would take what makes its descriptors readable
    for (transport::Transport* transport : engine->fabric().transports()) {
      quiet &= transport->arm();
      if (transport->wait_fd() >= 0) fds_.push_back({transport->wait_fd(), POLLIN, 0});
    }
  }
  if (quiet) {
    const timespec limit{0, std::chrono::nanoseconds(longest_sleep).count()};
    ::ppoll(fds_.data(), fds_.size(), &limit, nullptr);
  }
  for (Engine* engine : engines)
    for (transport::Transport* transport : engine->fabric().transports()) transport->disarm();
}

std::vector<u64> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) {  // more cores than the set has room for
    const u32 cores = std::max(1u, std::thread::hardware_concurrency());
    for (u32 core = 0; core < std::min<u32>(cores, CPU_SETSIZE); ++core) CPU_SET(core, &set);
  }
  std::vector<u64> words;
  for (u32 core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) {
      words.resize(std::max<std::size_t>(words.size(), core / 64 + 1));
      words[core / 64] |= u64{1} << core % 64;
    }
  return words;
}

}  // namespace weft::executor
