// The critical path: why the last step ended when it did, by term.
//
// Every moment has one cause, the moment that came last of all it needed, and one term that took
// the time between. Following causes back from the end, the times of the terms add up to the whole,
// to the picosecond. Queueing at a resource is no term: the cause is then its user before, whose
// own term fills the time. Threads: one.
#pragma once
#include <array>
#include <vector>

#include "simulate/machine.hpp"

namespace weft::simulate {

enum class Term : u8 {
  call,             // from the application to the first instance
  frames,           // starting instances
  issue,            // the progress thread issues a step
  overhead,         // o of LogGP, at either end
  doorbell,         // telling the card
  latency,          // L of LogGP, of data, grants and completions
  signalling,       // taking notice of completions, of sends and of kernels
  intra_bandwidth,  // bytes inside a node
  inter_bandwidth,  // bytes between nodes
  launch,           // until a kernel runs
  reduction,        // bytes of sums
  copy,             // bytes copied
};
inline constexpr u32 terms = 12;
const char* name_of(Term term);

class Path {
 public:
  explicit Path(bool kept) : kept_(kept) { moments_.push_back({}); }

  // The moment `time`, which came `term` after its cause.
  u32 mark(u32 cause, Time time, Term term) {
    if (!kept_) return 0;
    moments_.push_back({time, cause, term, false});
    return u32(moments_.size() - 1);
  }
  // An instance starts at once when the one before it in its frame has retired.
  u32 hand_over(u32 cause, Time time) {
    if (!kept_) return 0;
    moments_.push_back({time, cause, Term::frames, true});
    return u32(moments_.size() - 1);
  }

  std::array<Time, terms> by_term(u32 last) const;
  // How often an instance on the path had to wait for a frame.
  u32 frame_waits(u32 last) const;

 private:
  struct Moment {
    Time time = 0;
    u32 cause = 0;
    Term term = Term::call;
    bool handed_over = false;
  };
  bool kept_;
  std::vector<Moment> moments_;  // the first is the start of the call
};

}  // namespace weft::simulate
