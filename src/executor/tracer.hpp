// Watches an execution: as schedule::RankTrace, for `weft verify --trace` and the tests, or as a
// Timeline, for `weft trace`, or both.
//
// Debugging only: it allocates. Threads: those of the engine.
#pragma once
#include <optional>

#include "executor/timeline.hpp"
#include "schedule/trace.hpp"

namespace weft::executor {

class Tracer {
 public:
  Tracer(u32 rank, u32 frames, bool steps, bool times);
  void call(const Operation& operation);
  u32 issued(const Frame& frame, u32 step);  // gives the issue its number
  void received(const Frame& frame, u32 end, u32 send_issue);
  void retired(const Frame& frame, u32 step);
  const schedule::RankTrace& trace() const { return trace_; }  // empty unless `steps`
  const Timeline* timeline() const { return timeline_ ? &*timeline_ : nullptr; }

 private:
  const bool steps_;
  std::optional<Timeline> timeline_;
  schedule::RankTrace trace_;
  u32 issues_ = 0;
  std::vector<std::vector<u64>> send_issues_;  // frame, end -> number of the peer's issue
};

}  // namespace weft::executor
