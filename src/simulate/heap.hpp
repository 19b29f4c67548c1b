// The simulator's queue of events: a heap of four children, plain data, no allocation an event once
// it has grown.
//
// Events at one instant come in the order of `key`, whose high bits are local to a rank and whose
// low bits are the actor: so what a rank does at one instant depends on no number of a rank.
// Threads: one.
#pragma once
#include <utility>
#include <vector>

#include "simulate/machine.hpp"

namespace weft::simulate {

struct Event {
  Time time = 0;
  u64 key = 0;
  u32 cause = 0;  // a moment of the path
  u32 unused = 0;
  bool operator<(const Event& other) const {
    return time != other.time ? time < other.time : key < other.key;
  }
};

class Heap {
 public:
  bool empty() const { return events_.empty(); }

  void push(const Event& event) {
    std::size_t i = events_.size();
    events_.push_back(event);
    while (i > 0) {
      const std::size_t parent = (i - 1) / children;
      if (!(event < events_[parent])) break;
      events_[i] = events_[parent];
      i = parent;
    }
    events_[i] = event;
  }

  Event pop() {
    const Event first = events_.front(), last = events_.back();
    events_.pop_back();
    const std::size_t n = events_.size();
    for (std::size_t i = 0; n > 0;) {
      std::size_t least = i * children + 1;
      if (least < n) {
        const std::size_t end = std::min(least + children, n);
        for (std::size_t c = least + 1; c < end; ++c)
          if (events_[c] < events_[least]) least = c;
      }
      if (least >= n || !(events_[least] < last)) {
        events_[i] = last;
        break;
      }
      events_[i] = events_[least];
      i = least;
    }
    return first;
  }

 private:
  static constexpr std::size_t children = 4;
  std::vector<Event> events_;
};

}  // namespace weft::simulate
