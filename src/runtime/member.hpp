// What a weft_comm_t points to: a communicator from before it is made until after it has been left.
//
// Making and leaving may run on a thread of their own (`blocking = 0`); until that is done the
// member answers that it is not ready. Threads: as weft.h says of a communicator; `state` and
// `abort` are for any thread.
#pragma once
#include <functional>
#include <memory>
#include <thread>

#include "runtime/communicator.hpp"
#include "runtime/process.hpp"

namespace weft::runtime {

class Member {
 public:
  using Make = std::function<Result<std::unique_ptr<Communicator>>()>;

  ~Member();
  // Runs `make` here. The member is ready, or its error is returned.
  static Result<std::unique_ptr<Member>> made(const Make& make);
  // Runs it on a thread of its own.
  static Result<std::unique_ptr<Member>> being_made(Make make);

  // To be used for calls; an error that says why it cannot be.
  Result<Communicator*> use();
  // To be asked about itself: also once it has been left.
  Result<Communicator*> known();

  // ok, in_progress, or the first error. From any thread.
  Error state() const;
  void abort();

  // All ranks leave; afterwards nothing waits for peers. `blocking` as when it was made.
  Status finalize(bool blocking);
  // What weft_comm_destroy does before the memory is freed.
  static Status leave(std::span<Member* const> members);
  Status same_process() const { return process_.check(); }
  // Made without a communicator: the rank has no colour.
  bool is_empty() const { return shared_->phase == Phase::ready && !shared_->communicator; }

 private:
  enum class Phase : u32 { making, ready, leaving, left, failed };
  // Shared with the thread that makes it, which an abort leaves behind.
  struct Shared {
    std::atomic<Phase> phase{Phase::making};
    std::atomic<bool> abandoned{false};
    Error error;  // valid in phase failed
    std::unique_ptr<Communicator> communicator;
  };
  static void make(Shared& shared, const Make& make);
  Status wait_for_thread();

  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  ProcessMark process_;
  std::thread thread_;
};

}  // namespace weft::runtime
