#include "runtime/process.hpp"

#include <pthread.h>

#include <atomic>

#include "base/handle.hpp"

namespace weft::runtime {

std::atomic<u64> ProcessMark::generation{0};

ProcessMark::ProcessMark() {
  // Runs in the child, between fork and its return: only what is safe in a signal handler.
  static const int watching = ::pthread_atfork(nullptr, nullptr, [] {
    generation.fetch_add(1, std::memory_order_relaxed);
    Fd::close_unshared();
  });
  WEFT_ASSERT(watching == 0);
  made_in_ = generation.load(std::memory_order_relaxed);
}

Status ProcessMark::foreign() {
  return fail(Code::invalid_argument,
              "the communicator belongs to the parent of this process: after fork() a child makes "
              "its own");
}

}  // namespace weft::runtime
