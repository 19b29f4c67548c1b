#include "executor/operation.hpp"

namespace weft::executor {

void Operation::prepare(bool watched) {
  watched_ = watched;
  callback_.store(Callback::none, std::memory_order_relaxed);
  state.store(State::running, std::memory_order_relaxed);
}

// Who ends the operation and who sets a callback each leave a mark with one exchange; whoever finds
// the other's mark calls. An exchange waits until all that was stored before it is visible to other
// cores: an operation that nobody watches is spared it.
void Operation::conclude(const Error* failure) {
  if (failure) error = *failure;
  const State end = failure ? State::failed : State::succeeded;
  if (!watched_) return state.store(end, std::memory_order_release);
  outcome_ = failure ? failure->code : Code::ok;
  if (callback_.exchange(Callback::due, std::memory_order_acq_rel) == Callback::set)
    function_(argument_, outcome_);
  state.store(end, std::memory_order_release);
  state.notify_all();
}

void Operation::on_completion(Function function, void* argument) {
  function_ = function;
  argument_ = argument;
  if (callback_.exchange(Callback::set, std::memory_order_acq_rel) == Callback::due)
    function(argument, outcome_);
}

}  // namespace weft::executor
