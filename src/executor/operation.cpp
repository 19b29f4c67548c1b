#include "executor/operation.hpp"

namespace weft::executor {

void Operation::prepare() {
  callback_.store(Callback::none, std::memory_order_relaxed);
  state.store(State::running, std::memory_order_relaxed);
}

// Who ends the operation and who sets a callback each leave a mark with one exchange; whoever finds
// the other's mark calls.
void Operation::conclude(const Error* failure) {
  if (failure) error = *failure;
  outcome_ = failure ? failure->code : Code::ok;
  if (callback_.exchange(Callback::due, std::memory_order_acq_rel) == Callback::set)
    function_(argument_, outcome_);
  state.store(failure ? State::failed : State::succeeded, std::memory_order_release);
  state.notify_all();
}

void Operation::on_completion(Function function, void* argument) {
  function_ = function;
  argument_ = argument;
  if (callback_.exchange(Callback::set, std::memory_order_acq_rel) == Callback::due)
    function(argument, outcome_);
}

}  // namespace weft::executor
