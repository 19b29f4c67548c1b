// A fake of the C API for tests of the benchmarks: ranks of one process, plain loops, and faults on
// request. It complements the runs on the real library: it can be wrong in the ways a check must
// see.
//
// Threads: as the real one. Faults are set before a run and cleared after it.
#pragma once
#include <weft/weft.h>

namespace weft::fake {

enum class Fault {
  none,
  flipped_bit,   // in one element of rank 1's result
  past_the_end,  // one byte behind rank 1's result
  stale_result,  // rank 1 is never written
  failing_call,  // the given result instead of a collective on rank 1
};

// The fault shows from the `from`-th collective of more than one rank on, counted from 0.
void set_fault(Fault fault, int from = 0, weft_result_t result = weft_remote_error);
long collectives();  // run so far on more than one rank
long open_communicators();
long open_operators();
long open_buffers();         // of weft_mem_alloc
long shared_buffers_made();  // by weft_mem_alloc since set_fault
bool group_is_open();        // of the calling thread

}  // namespace weft::fake
