#include "base/asymmetric_fence.hpp"

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif
#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace weft {

void register_for_heavy_fences_if_cheap() {
#if __has_include(<sys/single_threaded.h>)
  if (__libc_single_threaded) register_for_heavy_fences();
#endif
}

#if defined(__linux__)

bool register_for_heavy_fences() {
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

void heavy_fence() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  (void)::syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}

#else

bool register_for_heavy_fences() { return false; }
void heavy_fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }

#endif

}  // namespace weft
