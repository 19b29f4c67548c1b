#include "channel/loan_gate.hpp"

#include <deque>
#include <mutex>
#include <thread>

namespace weft::channel {

LoanGate& LoanGate::make() {
  static std::mutex mutex;
  static auto* const gates = new std::deque<LoanGate>;  // never destroyed: threads may outlive main
  const std::lock_guard lock(mutex);
  return gates->emplace_back();
}

// Reader and closer each write their own word and then read the other's: one of them sees the
// other.
bool LoanGate::enter() {
  readers_.fetch_add(1, std::memory_order_seq_cst);
  if (!closed_.load(std::memory_order_seq_cst)) return true;
  leave();
  return false;
}

void LoanGate::close() {
  closed_.store(true, std::memory_order_seq_cst);
  while (readers_.load(std::memory_order_seq_cst)) std::this_thread::yield();
}

}  // namespace weft::channel
