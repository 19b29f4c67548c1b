#include "verify/progress.hpp"

#include <algorithm>
#include <utility>

#include "verify/explain.hpp"

namespace weft::verify {
namespace {

using schedule::Step;
using schedule::Wait;

// Counters only: a lane is looked at again when something it may be waiting for has happened, so a
// run costs a constant for each step and message.
class Run {
 public:
  Run(const Layout& layout, const Mates& mates, u32 instances, u32 window)
      : layout_(layout), mates_(mates), instances_(instances), window_(window) {
    const u32 lanes = layout.first_lane.back();
    lanes_.resize(lanes);
    retired_of_rank_.assign(layout.ranks(), 0);
    missing_.resize(layout.task.size() * instances);
    for (u32 i = 0; i < instances; ++i)
      for (u32 t = 0; t < layout.task.size(); ++t) {
        const Task& task = layout.task[t];
        const u32 partners = task.exchanges() ? task.peer_count : 0;
        missing_[slot(t, i)] = task.step->sends() ? partners : partners + 1;
      }
    history_.reserve(3 * missing_.size());
    for (u32 x = 0; x < lanes; ++x) wake(x);
  }

  Result<History> run() {
    while (!ready_.empty()) {
      const u32 lane = ready_.back();
      ready_.pop_back();
      lanes_[lane].queued = false;
      advance(lane);
    }
    for (u32 x = 0; x < lanes_.size(); ++x)
      if (lanes_[x].retired != layout_.length(x) * instances_) return deadlock(x);
    return std::move(history_);
  }

 private:
  struct Lane {
    u32 issued = 0, retired = 0;  // over all instances
    u32 first_waiter = none;      // lanes that wait for this one
    u32 next_waiter = none, waits_for = none;
    bool queued = false;
  };
  struct Place {
    u32 task, instance;
  };

  std::size_t slot(u32 task, u32 instance) const {
    return std::size_t(instance) * layout_.task.size() + task;
  }
  Place place(u32 lane, u32 count) const {
    const u32 length = layout_.length(lane);
    return {layout_.at(lane, count % length), count / length};
  }

  void wake(u32 lane) {
    if (lanes_[lane].queued) return;
    lanes_[lane].queued = true;
    ready_.push_back(lane);
  }

  void advance(u32 x) {
    Lane& lane = lanes_[x];
    const u32 total = layout_.length(x) * instances_;
    for (bool moved = true; moved;) {
      moved = false;
      while (lane.issued < total && may_issue(x)) issue(x), moved = true;
      while (lane.retired < lane.issued && may_retire(x)) retire(x), moved = true;
    }
  }

  // The first of the waits that does not hold; registers nothing.
  const Wait* open_wait(const Place& at, Wait (&storage)[2]) const {
    const Task& task = layout_.task[at.task];
    const u32 first_lane = layout_.first_lane[task.rank];
    for (int w = 0; w < 2; ++w) {
      storage[w] = task.step->wait(w);
      if (!storage[w].valid()) continue;
      const u32 other = first_lane + storage[w].lane;
      if (lanes_[other].retired < layout_.length(other) * at.instance + storage[w].steps)
        return &storage[w];
    }
    return nullptr;
  }

  bool instance_may_start(const Place& at) const {
    const u32 rank = layout_.task[at.task].rank;
    const u32 steps = layout_.first_task[rank + 1] - layout_.first_task[rank];
    return retired_of_rank_[rank] >= steps * at.instance;
  }

  bool predecessor_allows(u32 x) const {
    const Lane& lane = lanes_[x];
    if (lane.retired == lane.issued) return true;
    if (lane.issued - lane.retired >= window_) return false;
    const Place before = place(x, lane.issued - 1), at = place(x, lane.issued);
    return before.instance == at.instance &&
           schedule::overlaps_predecessor(*layout_.task[before.task].step,
                                          *layout_.task[at.task].step);
  }

  bool may_issue(u32 x) {
    const Place at = place(x, lanes_[x].issued);
    if (!predecessor_allows(x) || !instance_may_start(at)) return false;
    Wait storage[2];
    const Wait* wait = open_wait(at, storage);
    if (!wait) return true;
    const u32 other = layout_.first_lane[layout_.task[at.task].rank] + wait->lane;
    if (lanes_[x].waits_for != other) {
      lanes_[x].waits_for = other;
      lanes_[x].next_waiter = std::exchange(lanes_[other].first_waiter, x);
    }
    return false;
  }

  void issue(u32 x) {
    const Place at = place(x, lanes_[x].issued++);
    record(at.task, at.instance, Moment::issue);
    const Task& task = layout_.task[at.task];
    if (task.step->sends()) {
      if (task.exchanges())
        for (u32 mate : mates_of(mates_, task)) count_down(mate, at.instance);
    } else {
      count_down(at.task, at.instance);
    }
  }

  void record(u32 task, u32 instance, Moment::What what) {
    history_.push_back({task, u16(instance), what});
  }

  // One condition less for a receive or local step to move.
  void count_down(u32 t, u32 instance) {
    if (--missing_[slot(t, instance)]) return;
    record(t, instance, Moment::move);
    const Task& task = layout_.task[t];
    wake(task.lane);
    if (!task.step->receives() || !task.exchanges()) return;
    for (u32 mate : mates_of(mates_, task))
      if (!--missing_[slot(mate, instance)]) wake(layout_.task[mate].lane);
  }

  bool may_retire(u32 x) const {
    const Place at = place(x, lanes_[x].retired);
    return missing_[slot(at.task, at.instance)] == 0;
  }

  void retire(u32 x) {
    const Place at = place(x, lanes_[x].retired++);
    record(at.task, at.instance, Moment::retire);
    for (u32 w = std::exchange(lanes_[x].first_waiter, none); w != none;) {
      lanes_[w].waits_for = none;
      wake(w);
      w = std::exchange(lanes_[w].next_waiter, none);
    }
    const u32 rank = layout_.task[at.task].rank;
    if (!instance_may_start({at.task, at.instance + 1})) {
      ++retired_of_rank_[rank];
      if (instance_may_start({at.task, at.instance + 1}))
        for (u32 y = layout_.first_lane[rank]; y < layout_.first_lane[rank + 1]; ++y) wake(y);
    }
  }

  // What lane x waits for, in words, and the lane whose next step would end it.
  struct Blocked {
    std::string why;
    u32 lane;
  };

  Blocked why_blocked(u32 x) const {
    const Lane& lane = lanes_[x];
    if (lane.retired < lane.issued) {
      const Place at = place(x, lane.retired);
      if (const u32 mate = absent_mate(at); mate != none)
        return {fmt::format("{} has issued and waits for {}", describe(layout_, at.task),
                            describe(layout_, mate)),
                layout_.task[mate].lane};
    }
    WEFT_ASSERT(lane.issued < layout_.length(x) * instances_);
    const Place at = place(x, lane.issued);
    if (!instance_may_start(at))
      return {fmt::format("{} waits for the instance before it", describe(layout_, at.task)),
              unfinished_lane(layout_.task[at.task].rank, at.instance)};
    Wait storage[2];
    const Wait* wait = open_wait(at, storage);
    WEFT_ASSERT(wait);
    const u32 other = layout_.first_lane[layout_.task[at.task].rank] + wait->lane;
    const u32 last = layout_.at(other, wait->steps - 1);
    return {
        fmt::format("{} waits until {} steps of lane {} have retired, the last of them {}",
                    describe(layout_, at.task), wait->steps, wait->lane, describe(layout_, last)),
        other};
  }

  // A partner of the oldest step in flight that has not issued yet.
  u32 absent_mate(const Place& at) const {
    const Task& task = layout_.task[at.task];
    for (u32 mate : mates_of(mates_, task)) {
      const Task& other = layout_.task[mate];
      if (lanes_[other.lane].issued <= layout_.length(other.lane) * at.instance + other.index)
        return mate;
    }
    // All partners have issued: one of them is a receive that another of its senders keeps waiting.
    for (u32 mate : mates_of(mates_, task))
      if (missing_[slot(mate, at.instance)])
        for (u32 sender : mates_of(mates_, layout_.task[mate])) {
          const Task& other = layout_.task[sender];
          if (lanes_[other.lane].issued <= layout_.length(other.lane) * at.instance + other.index)
            return sender;
        }
    return none;
  }

  u32 unfinished_lane(u32 rank, u32 instance) const {
    u32 x = layout_.first_lane[rank];
    while (lanes_[x].retired >= layout_.length(x) * instance) ++x;
    return x;
  }

  // Follows one stuck lane to what it waits for until the chain closes.
  tl::unexpected<Error> deadlock(u32 x) const {
    std::vector<u32> chain;
    std::vector<std::string> why;
    auto closes = chain.end();
    while ((closes = std::find(chain.begin(), chain.end(), x)) == chain.end()) {
      Blocked blocked = why_blocked(x);
      chain.push_back(x);
      why.push_back(std::move(blocked.why));
      x = blocked.lane;
    }
    std::string text;
    for (auto i = closes - chain.begin(); i < std::ssize(chain); ++i)
      text += "\n  " + why[std::size_t(i)];
    return fail(Code::invalid_argument,
                "deadlock when nothing is buffered: each of these waits for the next, the last for "
                "the first{}",
                text);
  }

  const Layout& layout_;
  const Mates& mates_;
  const u32 instances_, window_;
  std::vector<Lane> lanes_;
  std::vector<u32> retired_of_rank_, missing_, ready_;
  History history_;
};

}  // namespace

Result<History> run(const Layout& layout, const Mates& mates, u32 instances, u32 window) {
  return Run(layout, mates, instances, window).run();
}

}  // namespace weft::verify
