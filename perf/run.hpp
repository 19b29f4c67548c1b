// One run of a benchmark on this process: communicators, memory, threads, and the last lines.
//
// Lifetime: borrows everything it is given; its session ends with it. Threads: main's; it starts
// the others and joins them.
#pragma once
#include "perf/reporter.hpp"
#include "perf/session.hpp"
#include "perf/stage.hpp"
#include "perf/sweep.hpp"

namespace weft::perf {

class Run {
 public:
  Run(const Processes& processes, const Collective& collective, Options& options,
      Reporter& reporter)
      : processes_(processes), collective_(collective), options_(options), reporter_(reporter) {}

  Result<Exit> all();

 private:
  struct Thread {
    Status status;
    Totals totals;
    std::vector<DigestValue> digests;
  };

  Status fit_to_memory();
  void work(const Session& session, Stage& stage, Team& team, int thread, Reporter& reporter,
            Thread& result);
  Status sweep_in_threads(const Session& session, Stage& stage);
  Status is_run_by(const Peer* peer) const;
  Result<Summary> summary() const;
  Result<MemoryUse> memory_use() const;
  Status explain(const Session& session);
  Result<bool> digest(const Session& session);

  const Processes& processes_;
  const Collective& collective_;
  Options& options_;
  Reporter& reporter_;
  std::vector<Thread> threads_;
  double resident_at_start_ = 0, resident_with_communicators_ = 0, resident_at_end_ = 0;
};

}  // namespace weft::perf
