// What lets a lender take its memory back: readers pass through the gate of the lender, and a
// closed gate is passed by nobody.
//
// A loan is memory of one rank that a rank of the same process reads in place. Normally the credit
// ends it; but an operation that fails returns its buffers while a peer may be reading, or may come
// to read much later. So the lender closes its gate, which waits out those inside, before it lets
// go of any buffer. Lifetime: of the process, a cache line for each communicator, since a late
// reader may still knock. Threads: any.
#pragma once
#include <atomic>

#include "base/types.hpp"

namespace weft::channel {

class alignas(cache_line_bytes) LoanGate {
 public:
  static LoanGate& make();

  bool enter();  // false: closed, the memory may be gone
  void leave() { readers_.fetch_sub(1, std::memory_order_release); }
  void close();  // returns once no reader is inside; for ever

 private:
  std::atomic<u32> readers_{0};
  std::atomic<bool> closed_{false};
};

}  // namespace weft::channel
