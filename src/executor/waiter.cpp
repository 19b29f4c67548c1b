#include "executor/waiter.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace weft::executor {
namespace {

constexpr u64 eager = 64;    // idle polls without a pause, which on some machines takes 140 cycles
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

// What now_ says is as old as the last yield or sleep, which at worst is one sleep too many.
bool Waiter::will_sleep() const {
  const u64 before = crowded_ ? 0 : spins;  // the first yield
  if (idle_ < before) return false;
  return neighbours_.compete(now_) || (idle_ > before && now_ - since_ >= patience);
}

bool Waiter::idle(std::span<Engine* const> engines) {
  if (!crowded_ && idle_ < spins) {
    if (++idle_ > eager) relax();
    return false;
  }
  const bool sleeps = will_sleep();
  if (idle_++ == (crowded_ ? 0 : spins)) since_ = now_ = Clock::now();
  const TimePoint began = now_;
  if (sleeps)
    sleep(engines);
  else
    ::sched_yield();
  now_ = Clock::now();
  if (crowded_ && !sleeps) neighbours_.yielded(began, now_);
  return sleeps;
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
  } else {
    ::sched_yield();  // something is there already, but perhaps nothing that moves
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
