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

// Who enters and who closes each write their own word and then read the other's: one of them sees
// the other.
bool LoanGate::enter() {
  inside_.fetch_add(1, std::memory_order_seq_cst);
  if (!closed_.load(std::memory_order_seq_cst)) return true;
  leave();
  return false;
}

void LoanGate::close() {
  shut();
  while (!is_empty()) std::this_thread::yield();
}

}  // namespace weft::channel
