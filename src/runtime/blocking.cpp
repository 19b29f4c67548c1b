// Blocking calls. A program makes the same ones again and again, so the request of the last one is
// kept as it was started, with its plan: a call that repeats it has only to run.
#include <array>

#include "runtime/communicator.hpp"

namespace weft::runtime {

Status Communicator::run(const Call& call) {
  if (!repeats(call)) WEFT_TRY(differs_in_buffers(call) ? rebind(call) : keep(call));
  return run_again();
}

Status Communicator::run_again() {
  Request& request = kept_;
  const bool elsewhere = has_thread();
  request.operation.prepare(elsewhere);
  request.operation.deadline.store(0, std::memory_order_relaxed);
  request.operation.timeout_seconds.store(config_.timeout_seconds, std::memory_order_relaxed);
  if (elsewhere)
    thread_->submit(request);
  else if (request.ready)
    engine_->start(request.operation);
  else
    begin(request);
  if (!request.operation.done()) wait(std::array{&request});
  if (request.operation.state.load(std::memory_order_relaxed) ==
      executor::Operation::State::failed) {
    Status failed = fail(std::move(request.operation.error));
    forget_kept();
    return failed;
  }
  // An operator of the user's may be destroyed from now on, and another made under its number.
  if (request.recipe.made) forget_kept();
  return {};
}

// Also the memory that peers can map must be what it was when the buffers were looked up: another
// piece may lie at the same addresses by now.
bool Communicator::repeats(const Call& call) const {
  return kept_.ready && call == kept_.call && !has_thread() && kept_version_ == shared_version();
}

bool Communicator::differs_in_buffers(const Call& call) const {
  return kept_.ready && call.same_but_for_buffers(kept_.call) && !has_thread();
}

// The kept call on other buffers: the plan is the same.
Status Communicator::rebind(const Call& call) {
  WEFT_TRY(check(call, rank_, ranks_));
  kept_version_ = shared_version();
  kept_.call = call;
  bind(kept_);
  return {};
}

Status Communicator::keep(const Call& call) {
  forget_kept();
  WEFT_TRY(check(call, rank_, ranks_));
  Recipe recipe;
  UserReduction user;
  WEFT_TRY(read_recipe(call, recipe, user));
  kept_version_ = shared_version();
  kept_.owner = this;
  kept_.call = call;
  kept_.follow(recipe, user);
  return {};
}

void Communicator::forget_kept() {
  kept_.ready = false;
  kept_.recipe.made.reset();
  if (Planner::Entry* const planned = std::exchange(kept_.planned, nullptr))
    planned->users.fetch_sub(1, std::memory_order_release);
}

}  // namespace weft::runtime
