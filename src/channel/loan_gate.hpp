// What lets a lender take its memory back: who uses it passes through the gate of the lender, and a
// closed gate is passed by nobody.
//
// A loan is memory of one rank that another reads in place, and perhaps writes its answer to.
// Normally the credit ends it; but an operation that fails returns its buffers while a peer may be
// at work on them, or may come to it much later. So the lender closes its gate, which waits out
// those inside, before it lets go of any buffer. Between processes only writers pass a gate, which
// then lies in memory that both map: what they map stays there, so that a late reader does no harm.
// Lifetime: make() gives one of the process, a cache line for each communicator, since a late
// reader may still knock. Threads: any, of any process that maps it.
#pragma once
#include <atomic>

#include "base/types.hpp"

namespace weft::channel {

class alignas(cache_line_bytes) LoanGate {
 public:
  static LoanGate& make();

  bool enter();  // false: closed, the memory may be gone
  void leave() { inside_.fetch_sub(1, std::memory_order_release); }
  void close();  // returns once nobody is inside; for ever
  // The same in two steps, for one who has something to do while he waits.
  void shut() { closed_.store(true, std::memory_order_seq_cst); }
  bool is_empty() const { return inside_.load(std::memory_order_seq_cst) == 0; }

 private:
  std::atomic<u32> inside_{0};
  std::atomic<bool> closed_{false};
};

}  // namespace weft::channel
