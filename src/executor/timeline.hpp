// When each step of an execution was issued and retired, for `weft trace`: a light record.
//
// Each step that moves bytes leaves one plain entry when it retires, in memory of a fixed size that
// is taken at the start; once it is full the oldest entries go, since what is looked for is seldom
// the warm-up. It costs two looks at the clock a step. Threads: those of the engine.
#pragma once
#include <vector>

#include "base/clock.hpp"
#include "executor/frame.hpp"

namespace weft::executor {

class Timeline {
 public:
  static constexpr u64 most_entries = 1 << 17;  // 8 MiB

  struct Entry {
    i64 issued, retired;  // nanoseconds of Clock
    i64 heard;            // a receive: when its first bytes had come; else `issued`
    u64 slice, bytes;
    u32 call;
    u32 step;   // in the program
    u32 peer;   // the first of its peers
    u16 peers;  // 0: the step is local
    schedule::Kind kind;
    schedule::Verb verb;
    u8 lane, port, level, frame;
  };
  static_assert(sizeof(Entry) == 64);

  explicit Timeline(u32 frames, u64 most = most_entries);
  void issued(const Frame& frame, u32 step);
  void received(const Frame& frame, u32 end);
  void retired(const Frame& frame, u32 step);

  u64 dropped() const { return count_ > most_ ? count_ - most_ : 0; }
  // In the order of retirement.
  std::vector<Entry> entries() const;

 private:
  // What is known of the steps in flight, by frame: grows with the largest plan.
  struct Flight {
    std::vector<i64> issued;  // by step of the plan
    std::vector<i64> heard;   // by end; 0: nothing yet
  };
  std::vector<Flight> flights_;
  std::vector<Entry> entries_;
  u64 most_, count_ = 0;
};

}  // namespace weft::executor
