#include "recorder.hpp"

#include <map>
#include <stdexcept>
#include <tuple>

namespace weft::verify {
namespace {

using schedule::Program;
using schedule::RankTrace;
using schedule::Record;
using schedule::Step;

class Recorder {
 public:
  Recorder(const std::vector<RecordedCall>& calls, u32 frames, u64 seed)
      : calls_(calls), frames_(frames), dice_(seed) {
    for (u32 c = 0; c < calls.size(); ++c)
      for (u64 i = 0; i < calls[c].instances; ++i) call_of_.push_back(c);
    const u32 ranks = u32(calls[0].programs.size());
    traces_.resize(ranks);
    state_.assign(ranks, std::vector<Instance>(call_of_.size()));
    issues_.assign(ranks, 0);
    for (u32 r = 0; r < ranks; ++r) {
      traces_[r].rank = r;
      traces_[r].frames = frames;
      u64 first = 0;
      for (const RecordedCall& call : calls) {
        traces_[r].calls.push_back({first, call.instances, call.collective, call.programs[r]});
        first += call.instances;
      }
    }
  }

  std::vector<RankTrace> run() {
    std::vector<std::tuple<u32, u64, u32>> ready;  // rank, instance, step
    while (collect(ready), !ready.empty()) {
      const auto [rank, instance, step] = ready[dice_() % ready.size()];
      act(rank, instance, step);
    }
    for (u32 r = 0; r < traces_.size(); ++r)
      for (u64 i = 0; i < call_of_.size(); ++i)
        if (state_[r][i].left != 0 && state_[r][i].started)
          throw std::runtime_error("the recorded programs deadlock");
    return std::move(traces_);
  }

 private:
  struct Instance {
    std::vector<u8> state;  // step -> 0, 1 issued, 2 retired
    std::vector<u64> issue;
    std::size_t left = 0;
    bool started = false;
  };

  const Program& program(u32 rank, u64 instance) const {
    return calls_[call_of_[instance]].programs[rank];
  }
  static std::size_t index_of(const Program& p, u32 lane, u32 k) {
    std::size_t i = 0;
    for (;; ++i)
      if (p.steps[i].lane == lane && k-- == 0) return i;
  }
  static u32 position(const Program& p, u32 step) {
    u32 k = 0;
    for (u32 i = 0; i < step; ++i) k += p.steps[i].lane == p.steps[step].lane;
    return k;
  }

  void collect(std::vector<std::tuple<u32, u64, u32>>& ready) {
    ready.clear();
    for (u32 r = 0; r < traces_.size(); ++r)
      for (u64 i = 0; i < call_of_.size(); ++i) {
        if (!start(r, i)) break;
        for (u32 s = 0; s < program(r, i).steps.size(); ++s)
          if (may_act(r, i, s)) ready.emplace_back(r, i, s);
      }
  }

  bool start(u32 r, u64 i) {
    Instance& in = state_[r][i];
    if (in.started) return true;
    for (u64 before = i; before >= frames_;) {
      before -= frames_;
      if (!state_[r][before].started || state_[r][before].left) return false;
    }
    in.started = true;
    in.left = program(r, i).steps.size();
    in.state.assign(in.left, 0);
    in.issue.assign(in.left, 0);
    return true;
  }

  bool may_act(u32 r, u64 i, u32 s) const {
    const Program& p = program(r, i);
    const Instance& in = state_[r][i];
    const u32 k = position(p, s);
    const std::size_t before = k ? index_of(p, p.steps[s].lane, k - 1) : s;
    if (in.state[s] == 1) return (!k || in.state[before] == 2) && has_arrived(r, i, s);
    if (in.state[s] == 2) return false;
    for (int w = 0; w < 2; ++w)
      if (const auto wait = p.steps[s].wait(w); wait.valid() && wait.steps)
        if (in.state[index_of(p, wait.lane, wait.steps - 1)] != 2) return false;
    if (!k || in.state[before] == 2) return true;
    return in.state[before] == 1 && schedule::overlaps_predecessor(p.steps[before], p.steps[s]);
  }

  bool is_empty(u32 r, u64 i, u32 s) const {
    const Program& p = program(r, i);
    const Step& step = p.steps[s];
    u64 first = i;
    while (first && call_of_[first - 1] == call_of_[i]) --first;
    bool empty = true;
    if (step.count)
      schedule::for_each_atom(p, step, step.target.valid() ? step.target : step.source, [&](u32 a) {
        empty = empty && calls_[call_of_[i]].is_empty(i - first, a);
      });
    return empty;
  }

  // The sends that meet a receive: rank and step, in the order of peers.
  std::vector<std::pair<u32, u32>> sends_of(u32 r, u64 i, u32 s) const {
    std::vector<std::pair<u32, u32>> sends;
    const Program& p = program(r, i);
    if (!p.steps[s].receives() || is_empty(r, i, s)) return sends;
    schedule::for_each_peer(p, p.steps[s], [&](u32 q) {
      u32 k = messages_before(p, s, q);
      const Program& other = program(q, i);
      for (u32 t = 0; t < other.steps.size(); ++t)
        if (meets(other, t, r, p.steps[s].port, true) && k-- == 0) sends.emplace_back(q, t);
    });
    return sends;
  }
  static u32 messages_before(const Program& p, u32 s, u32 peer) {
    u32 k = 0;
    for (u32 t = 0; t < s; ++t) k += meets(p, t, peer, p.steps[s].port, false);
    return k;
  }
  static bool meets(const Program& p, u32 t, u32 peer, u8 port, bool sends) {
    const Step& step = p.steps[t];
    if (step.is_local() || step.sends() != sends || step.port != port) return false;
    bool found = false;
    schedule::for_each_peer(p, step, [&](u32 q) { found = found || q == peer; });
    return found;
  }

  bool has_arrived(u32 r, u64 i, u32 s) const {
    for (const auto& [q, t] : sends_of(r, i, s))
      if (!state_[q][i].started || state_[q][i].state[t] == 0) return false;
    return true;
  }

  void act(u32 r, u64 i, u32 s) {
    Instance& in = state_[r][i];
    Record record{.instance = i, .step = s, .retire = in.state[s] == 1, .empty = is_empty(r, i, s)};
    if (record.retire) {
      for (const auto& [q, t] : sends_of(r, i, s)) record.sends.push_back(state_[q][i].issue[t]);
      --in.left;
    } else {
      in.issue[s] = issues_[r]++;
    }
    ++in.state[s];
    traces_[r].records.push_back(std::move(record));
  }

  const std::vector<RecordedCall>& calls_;
  const u32 frames_;
  std::mt19937_64 dice_;
  std::vector<u32> call_of_;  // instance -> call
  std::vector<RankTrace> traces_;
  std::vector<std::vector<Instance>> state_;  // rank -> instance
  std::vector<u64> issues_;
};

}  // namespace

std::vector<RankTrace> record(const std::vector<RecordedCall>& calls, u32 frames, u64 seed) {
  return Recorder(calls, frames, seed).run();
}

}  // namespace weft::verify
