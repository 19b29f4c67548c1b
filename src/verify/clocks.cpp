#include "verify/clocks.hpp"

#include <algorithm>

#include "verify/explain.hpp"

namespace weft::verify {
namespace {

using schedule::Step;
using schedule::Wait;

void know(u32* clock, const u32* other, u32 width) {
  for (u32 i = 0; i < width; ++i) clock[i] = std::max(clock[i], other[i]);
}

// The clocks of one rank, issuing its steps as soon as their waits hold and retiring them at once:
// any order that obeys the rank's own edges gives the same clocks.
class OwnClocks {
 public:
  OwnClocks(const Layout& layout, u32 rank) : layout_(layout) {
    clocks_.first_task = layout.first_task[rank];
    clocks_.first_lane = layout.first_lane[rank];
    clocks_.width = layout.lanes_of(rank);
    steps_ = layout.first_task[rank + 1] - clocks_.first_task;
    clocks_.issue.assign(std::size_t(steps_) * clocks_.width, 0);
    retire_.assign(clocks_.issue.size(), 0);
    done_.assign(clocks_.width, 0);
  }

  Result<Clocks> compute() {
    clocks_.order.reserve(steps_);
    std::vector<u32> open(steps_);
    for (u32 i = 0; i < steps_; ++i) open[i] = clocks_.first_task + i;
    // Programs are mostly listed in an order in which they may run, so this is nearly one pass.
    while (!open.empty()) {
      const auto rest = std::remove_if(open.begin(), open.end(), [&](u32 t) { return issue(t); });
      if (rest == open.end())
        return fail(Code::invalid_argument, "{} can never issue: its waits are a circle",
                    describe(layout_, open.front()));
      open.erase(rest, open.end());
    }
    return std::move(clocks_);
  }

 private:
  bool issue(u32 t) {
    const Task& task = layout_.task[t];
    if (done_[task.lane - clocks_.first_lane] != task.index) return false;
    for (int w = 0; w < 2; ++w)
      if (const Wait wait = task.step->wait(w); wait.valid() && done_[wait.lane] < wait.steps)
        return false;
    u32* clock = at(clocks_.issue, t);
    if (task.index) {
      const u32 before = layout_.at(task.lane, task.index - 1);
      const bool overlaps = schedule::overlaps_predecessor(*layout_.task[before].step, *task.step);
      know(clock, at(overlaps ? clocks_.issue : retire_, before), clocks_.width);
    }
    for (int w = 0; w < 2; ++w)
      if (const Wait wait = task.step->wait(w); wait.valid() && wait.steps)
        know(clock, at(retire_, layout_.at(clocks_.first_lane + wait.lane, wait.steps - 1)),
             clocks_.width);
    retire(t, task);
    clocks_.order.push_back(t);
    return true;
  }

  void retire(u32 t, const Task& task) {
    u32* clock = at(retire_, t);
    know(clock, at(clocks_.issue, t), clocks_.width);
    if (task.index) know(clock, at(retire_, layout_.at(task.lane, task.index - 1)), clocks_.width);
    clock[task.lane - clocks_.first_lane] = ++done_[task.lane - clocks_.first_lane];
  }

  u32* at(std::vector<u32>& clocks, u32 t) {
    return clocks.data() + std::size_t(t - clocks_.first_task) * clocks_.width;
  }

  const Layout& layout_;
  u32 steps_;
  Clocks clocks_;
  std::vector<u32> retire_, done_;
};

}  // namespace

Result<Clocks> own_clocks(const Layout& layout, u32 rank) {
  return OwnClocks(layout, rank).compute();
}

Clocks all_clocks(const Layout& layout, const Mates& mates, const History& history) {
  const u32 width = layout.first_lane.back();
  Clocks clocks{.width = width};
  clocks.issue.assign(layout.task.size() * width, 0);
  std::vector<u32> retire(clocks.issue.size(), 0);
  auto at = [width](std::vector<u32>& v, u32 t) { return v.data() + std::size_t(t) * width; };
  for (const Moment& moment : history) {
    if (moment.instance != 0 || moment.what == Moment::move) continue;
    const u32 t = moment.task;
    const Task& task = layout.task[t];
    const u32 before = task.index ? layout.at(task.lane, task.index - 1) : none;
    if (moment.what == Moment::issue) {
      clocks.order.push_back(t);
      u32* clock = at(clocks.issue, t);
      if (before != none) {
        const bool overlaps = schedule::overlaps_predecessor(*layout.task[before].step, *task.step);
        know(clock, at(overlaps ? clocks.issue : retire, before), width);
      }
      for (int w = 0; w < 2; ++w)
        if (const Wait wait = task.step->wait(w); wait.valid() && wait.steps)
          know(clock,
               at(retire, layout.at(layout.first_lane[task.rank] + wait.lane, wait.steps - 1)),
               width);
    } else {
      u32* clock = at(retire, t);
      know(clock, at(clocks.issue, t), width);
      if (before != none) know(clock, at(retire, before), width);
      if (task.step->receives() && task.exchanges())
        for (u32 mate : mates_of(mates, task)) know(clock, at(clocks.issue, mate), width);
      clock[task.lane] = task.index + 1;
    }
  }
  return clocks;
}

bool same_order(const schedule::Program& a, const schedule::Program& b) {
  // Each program alone, seen as a layout of one rank: waits name own lanes only.
  const auto clocks_of = [](const schedule::Program& program) -> Result<Clocks> {
    Layout layout;
    layout.programs = {&program, 1};
    layout.first_task = {0, u32(program.steps.size())};
    layout.first_lane = {0, program.lanes};
    std::vector<std::vector<u32>> lanes(program.lanes);
    for (u32 i = 0; i < program.steps.size(); ++i) {
      const Step& s = program.steps[i];
      layout.task.push_back({.step = &s, .lane = s.lane, .index = u32(lanes[s.lane].size())});
      lanes[s.lane].push_back(i);
    }
    layout.lane_begin = {0};
    for (const auto& lane : lanes) {
      layout.lane_task.insert(layout.lane_task.end(), lane.begin(), lane.end());
      layout.lane_begin.push_back(u32(layout.lane_task.size()));
    }
    return own_clocks(layout, 0);
  };
  const auto x = clocks_of(a), y = clocks_of(b);
  return x && y && x->issue == y->issue;
}

}  // namespace weft::verify
