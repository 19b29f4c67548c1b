// The library's results as this room's failures. Threads: each thread sees its own last error.
#pragma once
#include <weft/weft.h>

#include <memory>
#include <span>
#include <vector>

#include "perf/outcome.hpp"

namespace weft::perf {

// ok, or a failure with the library's text for this thread; a passed deadline has its own exit
// code.
Status check(weft_result_t result, const char* what);

struct DestroyCommunicator {
  // Destroying is collective and may fail after an error that was reported already.
  void operator()(weft_comm* comm) const { (void)weft_comm_destroy(comm); }
};
using Communicator = std::unique_ptr<weft_comm, DestroyCommunicator>;

// The operator of "mulsum" on one communicator, with its rank's scalar. Lifetime: destroyed before
// the communicator, with no operation under way.
class PremulSum {
 public:
  static Result<PremulSum> make(weft_datatype_t type, int rank, weft_comm_t comm);
  weft_op_t value() const { return op_; }

 private:
  struct Destroy {
    weft_op_t op;
    void operator()(weft_comm* comm) const { (void)weft_op_destroy(op, comm); }
  };
  PremulSum(weft_op_t op, weft_comm_t comm) : op_(op), made_on_(comm, Destroy{op}) {}

  weft_op_t op_;
  std::unique_ptr<weft_comm, Destroy> made_on_;
};

// One group of calls of this thread. A failure between begin and end still closes it: an open group
// would swallow whatever the thread calls next.
class Group {
 public:
  Group() = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    if (open_) (void)weft_group_end();
  }
  Status begin();
  Status end(const char* what);  // runs the calls

 private:
  bool open_ = false;
};

// Communicators of one job in one process. Destroying waits for all ranks of the job, so one thread
// lets go of its ranks together, in a group. Lifetime: moved before use, destroyed by one thread.
class Communicators {
 public:
  explicit Communicators(std::size_t count = 0) : communicators_(count) {}
  Communicators(Communicators&&) = default;
  Communicators& operator=(Communicators&&) = default;
  ~Communicators();
  Communicator& operator[](std::size_t index) { return communicators_[index]; }
  std::span<const Communicator> all() const { return communicators_; }

 private:
  std::vector<Communicator> communicators_;
};

}  // namespace weft::perf
