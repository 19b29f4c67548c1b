// A communicator's part in control: what the control thread may see of this rank, and what this
// rank says to it.
//
// Communicators split off another one use its job: its control tree, its processes. Lifetime: from
// when the engine is made; ends before it. Threads: `report`, `consult` and `exchange` any.
#pragma once
#include <atomic>
#include <memory>

#include "control/hub.hpp"
#include "executor/engine.hpp"
#include "runtime/manifest.hpp"

namespace weft::runtime {

class Oversight final : private control::Subject {
 public:
  // What communicators of one job share.
  struct Job {
    std::shared_ptr<const control::JobPlan> plan;
    control::Members members;  // the process of each rank
  };
  // Of a communicator that is not split off another one. `addresses`: empty where manifests
  // suffice.
  static Result<Job> plan(const std::vector<Manifest>& manifests,
                          const std::vector<Addresses>& addresses, u32 rank, const Secret& secret);

  static Result<std::unique_ptr<Oversight>> begin(const Job& job, const Secret& secret, u32 rank,
                                                  executor::Engine& engine);
  ~Oversight();
  // Once no rank has anything to do with the others any more: their ends mean nothing then.
  void leave();

  const Job& job() const { return job_; }
  // What an engine asks before an error becomes one: tells the job, and says how long to wait for
  // its verdict.
  Duration consult(const Error& error, u32 origin, u64 call);
  void report(control::Evidence evidence, const Error& error, u64 call = 0);
  // The parts of all ranks that are still there, by rank. All make the same exchanges in the same
  // order.
  Result<std::vector<std::pair<u32, std::string>>> exchange(std::string part, Deadline deadline);

 private:
  Oversight(const Job& job, control::CommId comm, u32 rank, executor::Engine& engine)
      : job_(job), comm_(comm), rank_(rank), engine_(engine) {}
  control::Entry look() const override;
  void ask(u64 call) override { engine_.ask(call); }
  void condemn(const Error& verdict) override { engine_.condemn(verdict); }

  const Job job_;
  const control::CommId comm_;
  const u32 rank_;
  executor::Engine& engine_;
  std::atomic<bool> left_ = false;
  u64 exchanges_ = 0;
  bool out_of_step_ = false;
};

}  // namespace weft::runtime
