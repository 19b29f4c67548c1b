#include "runtime/process.hpp"

#include <pthread.h>

#include <atomic>

#include "base/handle.hpp"

namespace weft::runtime {
namespace {

std::atomic<u64> generation{0};

// Runs in the child, between fork and its return: only what is safe in a signal handler.
void in_child() {
  generation.fetch_add(1, std::memory_order_relaxed);
  Fd::close_unshared();
}

void watch_forks() {
  static const int watching = ::pthread_atfork(nullptr, nullptr, in_child);
  WEFT_ASSERT(watching == 0);
}

}  // namespace

ProcessMark::ProcessMark() {
  watch_forks();
  generation_ = generation.load(std::memory_order_relaxed);
}

Status ProcessMark::check() const {
  if (generation_ == generation.load(std::memory_order_relaxed)) return {};
  return fail(Code::invalid_argument,
              "the communicator belongs to the parent of this process: after fork() a child makes "
              "its own");
}

}  // namespace weft::runtime
