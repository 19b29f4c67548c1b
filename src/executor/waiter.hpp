// How a thread waits: spin, then yield, then sleep on the transports' descriptors.
//
// With more ranks on the node than cores, spinning keeps the others from running, so it yields at
// once. A small message then never costs a sleep: sleeping starts after a millisecond without news,
// or at once while another process computes on the core (neighbours.hpp).
// Threads: one thread's own.
#pragma once
#include <poll.h>

#include <span>
#include <vector>

#include "executor/engine.hpp"
#include "executor/neighbours.hpp"

namespace weft::executor {

class Waiter {
 public:
  // `extra_fd`: another descriptor that ends a sleep, or -1.
  explicit Waiter(bool crowded, int extra_fd = -1);
  void progressed() { idle_ = 0; }
  bool will_sleep() const;  // at the next idle()
  // Nothing moved in any of these engines. True if the thread slept, which it does for at most 20
  // ms.
  bool idle(std::span<Engine* const> engines);

 private:
  void sleep(std::span<Engine* const> engines);

  const bool crowded_;
  const int extra_fd_;
  u64 idle_ = 0;           // polls in a row
  TimePoint since_, now_;  // the first yield of these, the end of the last
  Neighbours neighbours_;
  std::vector<pollfd> fds_;
};

// The cores this process may use, a bit each.
std::vector<u64> usable_cores();

}  // namespace weft::executor
