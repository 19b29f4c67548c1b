// Records an execution as schedule::RankTrace, for `weft verify --trace` and the tests.
//
// Debugging only: it allocates. Threads: those of the engine.
#pragma once
#include "executor/frame.hpp"
#include "schedule/trace.hpp"

namespace weft::executor {

class Tracer {
 public:
  Tracer(u32 rank, u32 frames);
  void call(const Operation& operation);
  u32 issued(const Frame& frame, u32 step);  // gives the issue its number
  void received(const Frame& frame, u32 end, u32 send_issue);
  void retired(const Frame& frame, u32 step);
  const schedule::RankTrace& trace() const { return trace_; }

 private:
  schedule::RankTrace trace_;
  u32 issues_ = 0;
  std::vector<std::vector<u64>> send_issues_;  // frame, end -> number of the peer's issue
};

}  // namespace weft::executor
