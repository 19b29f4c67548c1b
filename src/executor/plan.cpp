#include "executor/plan.hpp"

#include <algorithm>

#include "executor/answers.hpp"
#include "executor/short_plan.hpp"

namespace weft::executor {
namespace {

using schedule::Slice;
using schedule::Span;
using schedule::Step;

const Span& any_span(const Step& s) { return s.target.valid() ? s.target : s.source; }

// Atoms of one slice as byte ranges, neighbours merged where they touch in every layout.
class Runs {
 public:
  Runs(const schedule::Partition& partition, Slice slice, u64 slice_start, u32 element_bytes,
       std::vector<channel::Run>& runs)
      : partition_(partition),
        slice_(slice),
        slice_start_(slice_start),
        element_bytes_(element_bytes),
        runs_(runs),
        made_{.first_run = u32(runs.size())} {}

  void add(u32 atom) {
    const auto in = partition_.in_vector(atom, slice_, schedule::input);
    if (in.count == 0) return;
    const auto out = partition_.in_vector(atom, slice_, schedule::output);
    const auto plane = partition_.in_plane(atom, slice_);
    const channel::Run run{
        {(in.offset - slice_start_) * element_bytes_, (out.offset - slice_start_) * element_bytes_,
         plane.offset * element_bytes_},
        in.count * element_bytes_};
    made_.bytes += run.bytes;
    if (made_.runs && follows(runs_.back(), run)) {
      runs_.back().bytes += run.bytes;
      return;
    }
    runs_.push_back(run);
    ++made_.runs;
  }
  Extents made() const { return made_; }

 private:
  static bool follows(const channel::Run& last, const channel::Run& run) {
    for (u32 layout = 0; layout < 3; ++layout)
      if (last.at[layout] + last.bytes != run.at[layout]) return false;
    return true;
  }

  const schedule::Partition& partition_;
  Slice slice_;
  u64 slice_start_;
  u32 element_bytes_;
  std::vector<channel::Run>& runs_;
  Extents made_;
};

class Lowering {
 public:
  Lowering(Plan& plan, const schedule::Partition& partition, Layout layout, channel::Fabric& fabric)
      : plan_(plan), partition_(partition), layout_(layout), fabric_(fabric) {}

  Status run() {
    plan_.streams = layout_.streams;
    plan_.alike = partition_.is_alike();
    cut_slices();
    lay_lanes();
    for (const u32 index : plan_.program_step) WEFT_TRY(lower_step(plan_.program.steps[index]));
    find_answers(plan_);
    measure_windows();
    if (plan_.slices == 1 && !plan_.steps.empty() && plan_.steps.size() <= 64)
      make_short(plan_, fabric_.most_inline_bytes());
    plan_.size.lanes = plan_.lanes();
    plan_.size.steps = u32(plan_.steps.size());
    plan_.size.ends = u32(plan_.ends.size());
    return {};
  }

 private:
  void cut_slices() {
    const u64 n = layout_.slice_elements ? layout_.slice_elements : std::max<u64>(layout_.count, 1);
    plan_.slices = std::max<u64>(1, (layout_.count + n - 1) / n);
    plan_.slice_bytes = n * layout_.element_bytes;
    body_ = {0, std::min(n, layout_.count)};
    tail_ = {(plan_.slices - 1) * n, layout_.count};
    plan_.plane_bytes =
        partition_.plane_elements(plan_.slices > 1 ? body_ : tail_) * layout_.element_bytes;
  }

  Runs runs_of(Plan::Kind kind) {
    return kind == Plan::body
               ? Runs(partition_, body_, 0, layout_.element_bytes, plan_.runs)
               : Runs(partition_, tail_, tail_.begin, layout_.element_bytes, plan_.runs);
  }

  Extents extents_of(const Step& s, Plan::Kind kind) {
    if (s.count == 0 || (kind == Plan::body && plan_.slices == 1)) return {};
    Runs runs = runs_of(kind);
    schedule::for_each_atom(plan_.program, s, any_span(s), [&](u32 atom) { runs.add(atom); });
    return runs.made();
  }

  void measure_windows() {
    for (const schedule::Buffer buffer : {schedule::input, schedule::output})
      for (const Plan::Kind kind : {Plan::body, Plan::tail}) {
        if (kind == Plan::body && plan_.slices == 1) continue;
        Runs runs = runs_of(kind);
        plan_.collective.for_each_atom_of(plan_.program.rank, buffer, partition_.atoms(),
                                          [&](u32 atom) { runs.add(atom); });
        plan_.windows[buffer][kind] = runs.made();
      }
  }

  void lay_lanes() {
    const auto& steps = plan_.program.steps;
    std::vector<u32> size(plan_.program.lanes, 0);
    for (const Step& s : steps) ++size[s.lane];
    plan_.lane_begin.assign(1, 0);
    for (const u32 n : size) plan_.lane_begin.push_back(plan_.lane_begin.back() + n);
    plan_.program_step.resize(steps.size());
    std::vector<u32> next(plan_.lane_begin.begin(), plan_.lane_begin.end() - 1);
    for (u32 i = 0; i < steps.size(); ++i) plan_.program_step[next[steps[i].lane]++] = i;
    plan_.dependents.resize(plan_.program.lanes);
    for (const Step& s : steps)
      for (int w = 0; w < 2; ++w)
        if (s.wait(w).valid()) add(plan_.dependents[s.wait_lane[w]], s.lane);
  }

  Status lower_step(const Step& s) {
    LoweredStep made{};
    made.verb = s.verb;
    made.lane = s.lane;
    made.target = s.target.buffer;
    made.source = s.source.buffer;
    made.second = s.second.buffer;
    made.right = s.source.right;
    const u32 position = u32(plan_.steps.size()) - plan_.lane_begin[s.lane];
    made.overlaps =
        position > 0 && schedule::overlaps_predecessor(
                            plan_.program.steps[plan_.program_step[plan_.steps.size() - 1]], s);
    for (int w = 0; w < 2; ++w) made.wait[w] = s.wait(w);
    for (const Plan::Kind kind : {Plan::body, Plan::tail}) made.extents[kind] = extents_of(s, kind);
    WEFT_TRY(lower_ends(s, made));
    plan_.steps.push_back(made);
    return {};
  }

  Status lower_ends(const Step& s, LoweredStep& made) {
    made.first_end = u32(plan_.ends.size());
    made.own = no_own;
    // An edge that carries nothing in any slice does not exist: no channel is opened for it.
    const bool silent = made.extents[Plan::body].bytes == 0 && made.extents[Plan::tail].bytes == 0;
    if (s.is_local() || silent) return {};
    const schedule::Level& level = plan_.program.levels[s.level];
    if (s.fan > 1 && level.me >= s.peer && level.me < s.peer + s.fan)
      made.own = u16(level.me - s.peer);
    plan_.size.fan = std::max<u32>(plan_.size.fan, s.fan);
    Status status;
    schedule::for_each_peer(plan_.program, s, [&](u32 peer) {
      if (!status) return;
      End end{.peer = peer, .port = s.port};
      status = s.sends() ? keep(fabric_.open_send(peer, s.port), end.send)
                         : keep(fabric_.open_recv(peer, s.port), end.recv);
      plan_.ends.push_back(end);
      ++made.ends;
    });
    return status;
  }

  template <class T>
  static Status keep(Result<T> opened, T& to) {
    if (!opened) return fail(std::move(opened).error());
    to = *opened;
    return {};
  }

  Plan& plan_;
  const schedule::Partition& partition_;
  Layout layout_;
  channel::Fabric& fabric_;
  Slice body_, tail_;
};

}  // namespace

Result<std::unique_ptr<Plan>> lower(schedule::Program program, schedule::Collective collective,
                                    const schedule::Partition& partition, Layout layout,
                                    channel::Fabric& fabric) {
  auto plan = std::make_unique<Plan>();
  plan->program = std::move(program);
  plan->collective = std::move(collective);
  WEFT_TRY(Lowering(*plan, partition, layout, fabric).run());
  return plan;
}

}  // namespace weft::executor
