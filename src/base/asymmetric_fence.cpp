#include "base/asymmetric_fence.hpp"

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace weft {

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
