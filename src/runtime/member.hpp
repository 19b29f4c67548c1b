// What a weft_comm_t points to: a communicator from before it is made until after it has been left.
//
// Making and leaving may run on a thread of their own (`blocking = 0`); until that is done the
// member answers that it is not ready. Its life is one phase, changed by compare and exchange:
//
//   making -> ready -> busy -> ready (a split of it is under way on another thread)
//                   -> leaving -> left
//   making -> failed, leaving -> failed
//   making -> given_up (abort or destroy): the thread that makes it cleans up
//
// Threads: as weft.h says of a communicator; `state` and `abort` are for any thread.
#pragma once
#include <functional>
#include <memory>
#include <thread>

#include "runtime/communicator.hpp"
#include "runtime/process.hpp"

namespace weft::runtime {

class Member {
 public:
  // May give a null communicator: one that this rank does not join.
  using Make = std::function<Result<std::unique_ptr<Communicator>>()>;

  ~Member();
  // Runs `make` here. The member is ready, or its error is returned.
  static Result<std::unique_ptr<Member>> made(const Make& make);
  // Runs it on a thread of its own; `parent`, if any, is busy until that is done.
  static Result<std::unique_ptr<Member>> being_made(Make make, Member* parent);

  // To be used for calls; null where use() is an error, or might be.
  Communicator* usable() {
    if (!process_.is_here() || shared_->phase.load(std::memory_order_acquire) != Phase::ready)
      return nullptr;
    return shared_->communicator.get();
  }
  // To be used for calls; an error that says why it cannot be.
  Result<Communicator*> use();
  // To be asked about itself: also once it has been left.
  Result<Communicator*> known();
  // Made without a communicator: the rank has no colour.
  bool is_empty() const { return shared_->phase == Phase::ready && !shared_->communicator; }

  // ok, in_progress, or the first error. From any thread.
  Error state() const;
  void abort();

  // All ranks leave; afterwards nothing waits for peers. Several may be ranks of one job.
  static Status finalize(std::span<Member* const> members);
  Status finalize_behind();  // on a thread of its own
  // What weft_comm_destroy does before the memory is freed.
  static Status leave(std::span<Member* const> members);
  Status same_process() const { return process_.check(); }

 private:
  enum class Phase : u32 { making, ready, busy, leaving, left, failed, given_up };
  // Shared with threads that make or leave, which may outlive the member.
  struct Shared {
    std::atomic<Phase> phase{Phase::making};
    Error error;  // valid in phase failed
    std::unique_ptr<Communicator> communicator;

    bool change(Phase from, Phase to) {
      const bool changed = phase.compare_exchange_strong(from, to, std::memory_order_acq_rel);
      if (changed) phase.notify_all();
      return changed;
    }
  };
  // `lender`: a parent that is busy until it is known how it went. May be null.
  static void make(Shared& shared, const Make& make, Shared* lender);
  static Status finish(std::span<Member* const> members);
  Status begin_leaving();
  void wait_while_busy();

  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  ProcessMark process_;
  std::thread thread_;
};

}  // namespace weft::runtime
