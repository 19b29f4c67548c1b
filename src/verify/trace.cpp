#include "verify/trace.hpp"

#include <algorithm>
#include <memory>

#include "verify/explain.hpp"
#include "verify/matching.hpp"

namespace weft::verify {
namespace {

using schedule::RankTrace;
using schedule::Record;
using schedule::TracedCall;

bool same(const schedule::Collective& a, const schedule::Collective& b) {
  return a.kind == b.kind && a.root == b.root && a.owner == b.owner;
}

// The programs of all ranks for one call. Calls of the same shape share it.
struct Plan {
  schedule::Collective collective;
  std::vector<schedule::Program> programs;
  Layout layout;
  Mates mates;
};

// What became of one step in one instance.
struct Fate {
  u64 issue = ~u64(0);  // its rank's issue number
  bool retired = false, empty = false;
};

// One instance on one rank.
struct Progress {
  std::vector<u32> issued, retired;  // by lane of the rank
  u32 steps_retired = 0;
};

struct Call {
  u64 first_instance = 0, instances = 0;
  const Plan* plan = nullptr;
  std::vector<Fate> fates;         // instance x task
  std::vector<Progress> progress;  // instance x rank
};

class Checker {
 public:
  explicit Checker(std::span<const RankTrace> traces) {
    for (const RankTrace& trace : traces) traces_.push_back(&trace);
    std::sort(traces_.begin(), traces_.end(), [](auto* a, auto* b) { return a->rank < b->rank; });
  }

  Status check() {
    WEFT_TRY(check_ranks());
    for (std::size_t c = 0; c < traces_[0]->calls.size(); ++c) WEFT_TRY(add_call(c));
    for (const RankTrace* trace : traces_) WEFT_TRY(follow(*trace));
    for (const Call& call : calls_) WEFT_TRY(check_complete(call));
    for (const Call& call : calls_) WEFT_TRY(check_emptiness(call));
    for (const RankTrace* trace : traces_) WEFT_TRY(check_sends(*trace));
    return check_causal();
  }

 private:
  template <class... Args>
  static tl::unexpected<Error> wrong(fmt::format_string<Args...> text, Args&&... args) {
    return fail(Code::invalid_argument, text, std::forward<Args>(args)...);
  }

  Status check_ranks() const {
    if (traces_.empty()) return wrong("no rank has left a trace");
    for (u32 r = 0; r < traces_.size(); ++r) {
      const RankTrace& trace = *traces_[r];
      if (trace.rank != r) return wrong("the trace of rank {} is missing or there twice", r);
      if (trace.frames == 0 || trace.frames != traces_[0]->frames)
        return wrong("rank {} has {} frames, rank 0 has {}", r, trace.frames, traces_[0]->frames);
      if (trace.calls.size() != traces_[0]->calls.size())
        return wrong("rank {} made {} calls, rank 0 made {}", r, trace.calls.size(),
                     traces_[0]->calls.size());
    }
    return {};
  }

  Status add_call(std::size_t c) {
    const TracedCall& first = traces_[0]->calls[c];
    if (!calls_.empty() &&
        first.first_instance != calls_.back().first_instance + calls_.back().instances)
      return wrong("call {} starts with instance {}, which does not follow the call before", c,
                   first.first_instance);
    for (const RankTrace* trace : traces_) {
      const TracedCall& call = trace->calls[c];
      if (call.first_instance != first.first_instance || call.instances != first.instances ||
          !same(call.collective, first.collective))
        return wrong("call {} is another one on rank {} than on rank 0", c, trace->rank);
    }
    WEFT_ASSIGN(const Plan* plan, plan_of(c));
    Call call{.first_instance = first.first_instance, .instances = first.instances, .plan = plan};
    call.fates.resize(call.instances * plan->layout.task.size());
    call.progress.resize(call.instances * traces_.size());
    for (u64 i = 0; i < call.progress.size(); ++i) {
      const u32 lanes = plan->layout.lanes_of(u32(i % traces_.size()));
      call.progress[i].issued.assign(lanes, 0);
      call.progress[i].retired.assign(lanes, 0);
    }
    calls_.push_back(std::move(call));
    return {};
  }

  Result<const Plan*> plan_of(std::size_t c) {
    const auto fits = [&](const auto& plan) {
      if (!same(plan->collective, traces_[0]->calls[c].collective)) return false;
      for (u32 r = 0; r < traces_.size(); ++r)
        if (plan->programs[r] != traces_[r]->calls[c].program) return false;
      return true;
    };
    if (const auto known = std::find_if(plans_.begin(), plans_.end(), fits); known != plans_.end())
      return known->get();
    auto plan = std::make_unique<Plan>();
    plan->collective = traces_[0]->calls[c].collective;
    for (const RankTrace* trace : traces_) plan->programs.push_back(trace->calls[c].program);
    WEFT_ASSIGN(plan->layout, lay_out(plan->programs, plan->collective));
    WEFT_ASSIGN(plan->mates, match(plan->layout));
    plans_.push_back(std::move(plan));
    return plans_.back().get();
  }

  Call* call_of(u64 instance) {
    auto after = std::upper_bound(calls_.begin(), calls_.end(), instance,
                                  [](u64 i, const Call& call) { return i < call.first_instance; });
    if (after == calls_.begin()) return nullptr;
    Call& call = *--after;
    return instance - call.first_instance < call.instances ? &call : nullptr;
  }

  Fate& fate(Call& call, u64 instance, u32 t) const {
    return call.fates[(instance - call.first_instance) * call.plan->layout.task.size() + t];
  }
  Progress& progress(Call& call, u64 instance, u32 rank) const {
    return call.progress[(instance - call.first_instance) * traces_.size() + rank];
  }
  static std::string name(const Call& call, u32 t, u64 instance) {
    return fmt::format("{} of instance {}", describe(call.plan->layout, t), instance);
  }

  // One rank's record against its own program.
  Status follow(const RankTrace& trace) {
    u64 issues = 0;
    for (std::size_t i = 0; i < trace.records.size(); ++i) {
      const Record& record = trace.records[i];
      Call* call = call_of(record.instance);
      if (!call)
        return wrong("rank {} record {}: no call has instance {}", trace.rank, i, record.instance);
      const Layout& layout = call->plan->layout;
      const u32 t = layout.first_task[trace.rank] + record.step;
      if (record.step >= layout.first_task[trace.rank + 1] - layout.first_task[trace.rank])
        return wrong("rank {} record {}: the program has no step {}", trace.rank, i, record.step);
      if (record.retire) {
        WEFT_TRY(retire(*call, record, t));
      } else {
        WEFT_TRY(issue(*call, record, t));
        fate(*call, record.instance, t).issue = issues++;
      }
    }
    return {};
  }

  Status issue(Call& call, const Record& record, u32 t) {
    const Layout& layout = call.plan->layout;
    const Task& task = layout.task[t];
    Progress& state = progress(call, record.instance, task.rank);
    const u32 lane = task.step->lane;
    if (state.issued[lane] != task.index)
      return wrong(
          "{} issues out of the order of its lane: {} steps have issued, {} come before it",
          name(call, t, record.instance), state.issued[lane], task.index);
    if (task.index == 0) WEFT_TRY(check_frame(call, record.instance, t));
    for (int w = 0; w < 2; ++w)
      if (const auto wait = task.step->wait(w);
          wait.valid() && state.retired[wait.lane] < wait.steps)
        return wrong("{} issues before its wait holds: {} steps of lane {} have retired, not {}",
                     name(call, t, record.instance), state.retired[wait.lane], wait.lane,
                     wait.steps);
    if (state.retired[lane] < task.index) {
      const u32 before = layout.at(task.lane, task.index - 1);
      if (!schedule::overlaps_predecessor(*layout.task[before].step, *task.step))
        return wrong("{} issues before {}, its predecessor, has retired",
                     name(call, t, record.instance), describe(layout, before));
    }
    ++state.issued[lane];
    fate(call, record.instance, t).empty = record.empty;
    return {};
  }

  // The frame must be free: the instance that had it last has retired on this rank. An instance
  // without steps leaves the frame to the one before it.
  Status check_frame(const Call& call, u64 instance, u32 t) {
    const u32 rank = call.plan->layout.task[t].rank;
    const u64 frames = traces_[0]->frames;
    for (u64 s = instance; s >= calls_[0].first_instance + frames;) {
      s -= frames;
      Call& last = *call_of(s);
      const Layout& layout = last.plan->layout;
      const u32 steps = layout.first_task[rank + 1] - layout.first_task[rank];
      const u32 retired = progress(last, s, rank).steps_retired;
      if (retired < steps)
        return wrong(
            "{} enters its frame early: of instance {}, which has the frame, {} of {} "
            "steps have retired on the rank",
            name(call, t, instance), s, retired, steps);
      if (steps) break;
    }
    return {};
  }

  Status retire(Call& call, const Record& record, u32 t) {
    const Task& task = call.plan->layout.task[t];
    Progress& state = progress(call, record.instance, task.rank);
    const u32 lane = task.step->lane;
    if (state.retired[lane] != task.index)
      return wrong(
          "{} retires out of the order of its lane: {} steps have retired, {} come before "
          "it",
          name(call, t, record.instance), state.retired[lane], task.index);
    if (state.issued[lane] <= task.index)
      return wrong("{} retires before it has issued", name(call, t, record.instance));
    Fate& its = fate(call, record.instance, t);
    if (its.empty != record.empty)
      return wrong("{} issues {} and retires {}", name(call, t, record.instance),
                   its.empty ? "empty" : "with data", record.empty ? "empty" : "with data");
    its.retired = true;
    ++state.retired[lane];
    ++state.steps_retired;
    return {};
  }

  Status check_complete(const Call& call) const {
    const std::size_t tasks = call.plan->layout.task.size();
    for (std::size_t i = 0; i < call.fates.size(); ++i)
      if (!call.fates[i].retired)
        return wrong("{} has not retired at the end of the trace",
                     name(call, u32(i % tasks), call.first_instance + i / tasks));
    return {};
  }

  // Both ends of a message see the same emptiness, and so do all who speak of the same atoms: a
  // step is empty if and only if all its atoms are.
  Status check_emptiness(const Call& call) const {
    const Layout& layout = call.plan->layout;
    std::vector<u64> empty_in(layout.atoms(), ~u64(0));  // atom -> last instance that called it so
    for (u64 i = 0; i < call.instances; ++i) {
      const Fate* const fates = call.fates.data() + i * layout.task.size();
      for (u32 t = 0; t < layout.task.size(); ++t) {
        const Task& task = layout.task[t];
        if (!fates[t].empty || !task.exchanges()) continue;
        if (call.plan->collective.kind == schedule::Kind::barrier)
          return wrong("{} is empty, and a barrier's token never is",
                       name(call, t, call.first_instance + i));
        for (u32 mate : mates_of(call.plan->mates, task))
          if (!fates[mate].empty)
            return wrong("{} is empty, and {} at the other end is not",
                         name(call, t, call.first_instance + i), describe(layout, mate));
        for (u32 atom : layout.atoms_of(task)) empty_in[atom] = i;
      }
      for (u32 t = 0; t < layout.task.size(); ++t) {
        const Task& task = layout.task[t];
        if (fates[t].empty || !task.exchanges()) continue;
        const auto atoms = layout.atoms_of(task);
        if (std::all_of(atoms.begin(), atoms.end(), [&](u32 a) { return empty_in[a] == i; }))
          return wrong("{} is not empty, though other steps call each of its atoms empty",
                       name(call, t, call.first_instance + i));
      }
    }
    return {};
  }

  // A receive has taken exactly the sends that meet it.
  Status check_sends(const RankTrace& trace) {
    for (const Record& record : trace.records) {
      Call& call = *call_of(record.instance);
      const Layout& layout = call.plan->layout;
      const u32 t = layout.first_task[trace.rank] + record.step;
      const Task& task = layout.task[t];
      const bool received = record.retire && task.step->receives() && !record.empty;
      const u32 expected = received ? task.peer_count : 0;
      if (record.sends.size() != expected)
        return wrong("{} names {} sends, not {}", name(call, t, record.instance),
                     record.sends.size(), expected);
      for (u32 k = 0; k < expected; ++k) {
        const u32 mate = call.plan->mates[task.first_peer + k];
        const u64 number = fate(call, record.instance, mate).issue;
        if (record.sends[k] != number)
          return wrong("{} took the message of issue {} of rank {}, and its send is {}, issue {}",
                       name(call, t, record.instance), record.sends[k], layout.task[mate].rank,
                       describe(layout, mate), number);
      }
    }
    return {};
  }

  // Puts all records in one order, each rank's in its own, every message after its send.
  Status check_causal() {
    std::vector<std::size_t> at(traces_.size(), 0);
    std::vector<u64> issued(traces_.size(), 0);
    for (bool moved = true; moved;) {
      moved = false;
      for (u32 r = 0; r < traces_.size(); ++r) {
        const auto& records = traces_[r]->records;
        while (at[r] < records.size() && has_arrived(r, records[at[r]], issued)) {
          issued[r] += !records[at[r]].retire;
          ++at[r];
          moved = true;
        }
      }
    }
    for (u32 r = 0; r < traces_.size(); ++r)
      if (at[r] < traces_[r]->records.size()) {
        const Record& record = traces_[r]->records[at[r]];
        Call& call = *call_of(record.instance);
        return wrong(
            "{} has taken a message whose send must come later: no order of all records "
            "sends every message before it arrives",
            name(call, call.plan->layout.first_task[r] + record.step, record.instance));
      }
    return {};
  }

  bool has_arrived(u32 rank, const Record& record, const std::vector<u64>& issued) {
    if (record.sends.empty()) return true;
    const Call& call = *call_of(record.instance);
    const Layout& layout = call.plan->layout;
    const auto peers = layout.peers_of(layout.task[layout.first_task[rank] + record.step]);
    for (std::size_t k = 0; k < peers.size(); ++k)
      if (issued[peers[k]] <= record.sends[k]) return false;
    return true;
  }

  std::vector<const RankTrace*> traces_;
  std::vector<std::unique_ptr<Plan>> plans_;
  std::vector<Call> calls_;
};

}  // namespace

TraceVerdict check_trace(std::span<const RankTrace> traces) {
  TraceVerdict verdict;
  if (!traces.empty()) verdict.calls = traces[0].calls.size();
  for (const RankTrace& trace : traces) verdict.records += trace.records.size();
  if (const Status status = Checker(traces).check(); !status) verdict.fault = status.error().text;
  return verdict;
}

}  // namespace weft::verify
