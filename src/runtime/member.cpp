#include "runtime/member.hpp"

#include "base/thread.hpp"

namespace weft::runtime {

namespace {
const Error aborted{Code::aborted, "weft_comm_abort was called"};
}

// ---- making

void Member::make(Shared& shared, const Make& make, Shared* lender) {
  Result<std::unique_ptr<Communicator>> made{nullptr};
  try {
    made = make();
  } catch (const std::exception& error) {
    made = fail(Code::system_error, "out of resources: {}", error.what());
  }
  if (made)
    shared.communicator = std::move(*made);
  else
    shared.error = std::move(made).error();
  // First: whoever sees that the new one is ready may use both.
  if (lender) lender->change(Phase::busy, Phase::ready);
  // Given up meanwhile: nobody else looks at it any more.
  if (!shared.change(Phase::making, made ? Phase::ready : Phase::failed))
    shared.communicator.reset();
}

Result<std::unique_ptr<Member>> Member::made(const Make& make) {
  auto member = std::make_unique<Member>();
  Member::make(*member->shared_, make, nullptr);
  if (member->shared_->phase == Phase::failed) return fail(std::move(member->shared_->error));
  return member;
}

Result<std::unique_ptr<Member>> Member::being_made(Make make, Member* parent) {
  auto member = std::make_unique<Member>();
  std::shared_ptr<Shared> lender;  // its communicator is used by the thread
  if (parent) {
    lender = parent->shared_;
    if (!lender->change(Phase::ready, Phase::busy)) return fail(parent->use().error());
  }
  try {
    member->thread_ = start_thread([shared = member->shared_, make = std::move(make), lender] {
      Member::make(*shared, make, lender.get());
    });
  } catch (...) {
    if (lender) lender->change(Phase::busy, Phase::ready);
    throw;
  }
  return member;
}

Member::~Member() {
  if (!thread_.joinable()) return;
  if (shared_->phase == Phase::given_up)
    thread_.detach();
  else
    thread_.join();
}

// ---- using

Result<Communicator*> Member::use() {
  WEFT_TRY(process_.check());
  switch (shared_->phase.load(std::memory_order_acquire)) {
    case Phase::ready:
      if (shared_->communicator) return shared_->communicator.get();
      return fail(Code::invalid_argument, "this rank had no colour and joined no communicator");
    case Phase::making:
      return fail(Code::invalid_argument,
                  "the communicator is still being made: weft_comm_get_async_error tells when it "
                  "is ready");
    case Phase::busy:
      return fail(Code::invalid_argument,
                  "a split of the communicator is under way: weft_comm_get_async_error of the new "
                  "one tells when it is done");
    case Phase::leaving:
    case Phase::left:
      return fail(Code::invalid_argument,
                  "the communicator was finalized: only weft_comm_destroy is left to do");
    case Phase::failed: return fail(shared_->error);
    case Phase::given_up: break;
  }
  return fail(aborted);
}

Result<Communicator*> Member::known() {
  const Phase phase = shared_->phase.load(std::memory_order_acquire);
  if (phase != Phase::leaving && phase != Phase::left && phase != Phase::busy) return use();
  WEFT_TRY(process_.check());
  return shared_->communicator.get();
}

Error Member::state() const {
  const Phase phase = shared_->phase.load(std::memory_order_acquire);
  if (phase == Phase::failed) return shared_->error;
  if (phase == Phase::given_up) return aborted;
  if (phase == Phase::making) return {Code::in_progress, {}};
  if (!shared_->communicator) return {};
  if (auto error = shared_->communicator->error()) return std::move(*error);
  return {phase == Phase::leaving ? Code::in_progress : Code::ok, {}};
}

void Member::abort() {
  if (shared_->change(Phase::making, Phase::given_up)) return;
  const Phase phase = shared_->phase.load(std::memory_order_acquire);
  if (phase != Phase::failed && phase != Phase::given_up && shared_->communicator)
    shared_->communicator->abort();
}

// ---- leaving

void Member::wait_while_busy() { shared_->phase.wait(Phase::busy, std::memory_order_acquire); }

Status Member::begin_leaving() {
  WEFT_TRY(use());
  shared_->communicator->begin_leaving();
  shared_->change(Phase::ready, Phase::leaving);
  return {};
}

// The members are in phase leaving.
Status Member::finish(std::span<Member* const> members) {
  std::vector<Communicator*> leaving;
  for (Member* const member : members) leaving.push_back(member->shared_->communicator.get());
  Status status = Communicator::finalize(leaving);
  for (Member* const member : members) {
    if (!status) member->shared_->error = status.error();
    member->shared_->change(Phase::leaving, status ? Phase::left : Phase::failed);
  }
  return status;
}

Status Member::finalize(std::span<Member* const> members) {
  for (Member* const member : members) WEFT_TRY(member->begin_leaving());
  return finish(members);
}

Status Member::finalize_behind() {
  if (thread_.joinable()) thread_.join();  // made it, and is done
  WEFT_TRY(begin_leaving());
  thread_ = start_thread([this] {  // joined before the member goes
    Member* const self = this;
    (void)finish(std::span(&self, 1));
  });
  return {};
}

Status Member::leave(std::span<Member* const> members) {
  std::vector<Communicator*> leaving;
  for (Member* const member : members) {
    Shared& shared = *member->shared_;
    if (shared.change(Phase::making, Phase::given_up)) continue;
    member->wait_while_busy();
    if (member->thread_.joinable() && shared.phase != Phase::given_up) member->thread_.join();
    if (shared.phase == Phase::ready && shared.communicator)
      leaving.push_back(shared.communicator.get());
  }
  return Communicator::close(leaving);
}

}  // namespace weft::runtime
