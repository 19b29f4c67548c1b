#include "runtime/member.hpp"

namespace weft::runtime {

void Member::make(Shared& shared, const Make& make) {
  Result<std::unique_ptr<Communicator>> made{nullptr};
  try {
    made = make();
  } catch (const std::exception& error) {
    made = fail(Code::system_error, "out of resources: {}", error.what());
  }
  if (made) {
    shared.communicator = std::move(*made);
  } else {
    shared.error = std::move(made).error();
  }
  shared.phase.store(made ? Phase::ready : Phase::failed, std::memory_order_release);
}

Result<std::unique_ptr<Member>> Member::made(const Make& make) {
  auto member = std::make_unique<Member>();
  Member::make(*member->shared_, make);
  if (member->shared_->phase == Phase::failed) return fail(std::move(member->shared_->error));
  return member;
}

Result<std::unique_ptr<Member>> Member::being_made(Make make) {
  auto member = std::make_unique<Member>();
  member->thread_ = std::thread([shared = member->shared_, make = std::move(make)] {
    Member::make(*shared, make);
    if (shared->abandoned) shared->communicator.reset();
  });
  return member;
}

Member::~Member() {
  if (!thread_.joinable()) return;
  if (shared_->abandoned)
    thread_.detach();
  else
    thread_.join();
}

Result<Communicator*> Member::use() {
  WEFT_TRY(process_.check());
  const Phase phase = shared_->phase.load(std::memory_order_acquire);
  if (phase == Phase::ready && shared_->communicator) return shared_->communicator.get();
  if (phase == Phase::ready)
    return fail(Code::invalid_argument, "this rank had no colour and joined no communicator");
  if (phase == Phase::failed) return fail(shared_->error);
  if (phase == Phase::making)
    return fail(Code::invalid_argument,
                "the communicator is still being made: weft_comm_get_async_error tells when it is "
                "ready");
  return fail(Code::invalid_argument,
              "the communicator was finalized: only weft_comm_destroy is left to do");
}

Result<Communicator*> Member::known() {
  const Phase phase = shared_->phase.load(std::memory_order_acquire);
  if (phase == Phase::leaving || phase == Phase::left) {
    WEFT_TRY(process_.check());
    return shared_->communicator.get();
  }
  return use();
}

Error Member::state() const {
  const Phase phase = shared_->phase.load(std::memory_order_acquire);
  if (phase == Phase::failed) return shared_->error;
  if (shared_->abandoned) return {Code::aborted, "weft_comm_abort was called"};
  if (phase == Phase::making) return {Code::in_progress, {}};
  if (!shared_->communicator) return {};
  if (auto error = shared_->communicator->error()) return std::move(*error);
  return {phase == Phase::leaving ? Code::in_progress : Code::ok, {}};
}

void Member::abort() {
  const Phase phase = shared_->phase.load(std::memory_order_acquire);
  if (phase == Phase::making) shared_->abandoned = true;
  // The thread may have been done just now.
  const Phase now = shared_->phase.load(std::memory_order_acquire);
  if ((now == Phase::ready || now == Phase::leaving) && shared_->communicator)
    shared_->communicator->abort();
}

Status Member::finalize(bool blocking) {
  WEFT_ASSIGN(Communicator* const communicator, use());
  shared_->phase = Phase::leaving;
  const auto leave_now = [shared = shared_, communicator]() -> Status {
    communicator->drain();
    const Status status = Communicator::close(std::span(&communicator, 1));
    if (!status) shared->error = status.error();
    shared->phase.store(status ? Phase::left : Phase::failed, std::memory_order_release);
    return status;
  };
  if (blocking) return leave_now();
  WEFT_TRY(wait_for_thread());
  thread_ = std::thread([leave_now] { (void)leave_now(); });
  return {};
}

Status Member::wait_for_thread() {
  if (thread_.joinable() && !shared_->abandoned) thread_.join();
  return {};
}

Status Member::leave(std::span<Member* const> members) {
  std::vector<Communicator*> leaving;
  for (Member* const member : members) {
    WEFT_TRY(member->wait_for_thread());
    if (member->shared_->phase == Phase::ready && member->shared_->communicator)
      leaving.push_back(member->shared_->communicator.get());
  }
  return Communicator::close(leaving);
}

}  // namespace weft::runtime
