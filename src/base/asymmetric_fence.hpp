// A fence whose cost is on one side: for flags that one side looks at after every message and the
// other raises before it sleeps.
//
// Both sides store, then load what the other stores; at least one must see the other's store. With
// two full fences the side that sends would wait for its store to become visible each time, which
// is the time that a cache line takes between cores. Here it only keeps the compiler in order, and
// the side that is about to sleep has the kernel run a fence on every core that runs a registered
// process (membarrier(2), MEMBARRIER_CMD_GLOBAL_EXPEDITED). Both processes must be registered:
// otherwise both use full fences. Threads: any.
#pragma once
#include <atomic>

namespace weft {

// Registers this process, if the kernel can; again and again does no harm. False: full fences only.
bool register_for_heavy_fences();

// The same, but only if it costs nothing: while the process has one thread. With several the kernel
// waits some milliseconds until all cores have noticed.
void register_for_heavy_fences_if_cheap();

// Between the store and the load of the side that is often there; requires that both processes are
// registered.
inline void light_fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }

// Of the side that is seldom there: a full fence here, and in every registered process.
void heavy_fence();

}  // namespace weft
