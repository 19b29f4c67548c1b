#include "simulate/lower.hpp"

#include <algorithm>

namespace weft::simulate {

using schedule::Program;
using schedule::Slice;
using schedule::Step;

Lowering::Lowering(const Programs& programs, const Call& call)
    : programs_(programs), fabric_(programs.shape()) {
  const bool token = programs.kind() == schedule::Kind::barrier;
  const u64 count = token ? 1 : call.count;
  const u32 element = token ? 1 : call.element_bytes;
  const u64 unit = token ? 1 : std::max<u64>(1, cache_line_bytes / element);
  const auto partition =
      token ? schedule::Partition::token() : schedule::Partition(programs.tiling(), count, unit);
  const u64 n = call.slice_elements && !token ? call.slice_elements : std::max<u64>(count, 1);
  slices_ = std::max<u64>(1, (count + n - 1) / n);
  const Slice slice[2] = {{0, std::min(n, count)}, {(slices_ - 1) * n, count}};
  is_pairs_ = programs.kind() == schedule::Kind::all_to_all;
  for (Part part : {body, tail}) {
    if (is_pairs_) {  // all of one size
      before_[part] = {0, (slice[part].end - slice[part].begin) * element};
      continue;
    }
    before_[part].assign(1, 0);
    for (u32 atom = 0; atom < partition.atoms(); ++atom)
      before_[part].push_back(before_[part].back() +
                              partition.in_vector(atom, slice[part]).count * element);
  }
}

u64 Lowering::bytes(const Program& program, const Step& step, Part part) const {
  const schedule::Span& span = step.target.valid() ? step.target : step.source;
  const schedule::Level& level = program.levels[step.level];
  u64 sum = 0;
  for (u32 k = 0; k < step.count; ++k) {
    const u32 chunk = span.chunk(k, level.chunks());
    const u32 begin = level.cut[chunk], end = level.cut[chunk + 1];
    sum += is_pairs_ ? (end - begin) * before_[part][1] : before_[part][end] - before_[part][begin];
  }
  return sum;
}

u16 Lowering::wire(u32 wire, Own& own) const {
  const auto found = std::find(own.wires.begin(), own.wires.end(), wire);
  const auto index = found - own.wires.begin();
  if (found == own.wires.end()) own.wires.push_back(wire);
  return u16(index);
}

Status Lowering::add_messages(const Program& program, const Step& step, Script& script,
                              Own& own) const {
  const schedule::Level& level = program.levels[step.level];
  std::vector<u32> positions;
  for (u32 q = step.peer; q < step.peer + step.fan; ++q)
    if (step.fan == 1 || q != level.me) positions.push_back(q);
  // The order within a fan is the executor's to choose: beginning after the own position, no two
  // ranks start with the same peer.
  const auto after =
      std::find_if(positions.begin(), positions.end(), [&](u32 q) { return q > level.me; });
  std::rotate(positions.begin(), after, positions.end());
  for (u32 q : positions) {
    if (q >= level.positions() || level.rank[q] >= fabric_.ranks() || level.rank[q] == program.rank)
      return fail(Code::invalid_argument,
                  "rank {}: a step on lane {} exchanges a message with position {}, which is no "
                  "other rank: prove the schedule with weft verify",
                  program.rank, step.lane, q);
    const u32 peer = level.rank[q], sender = step.sends() ? program.rank : peer;
    const Route route = fabric_.route(sender, step.sends() ? peer : program.rank,
                                      programs_.rail(sender, step.port));
    own.peers.push_back(peer);
    own.ports.push_back(step.port);
    script.messages.push_back({.step = u32(script.steps.size()),
                               .wire = wire(step.sends() ? route.out : route.in, own),
                               .inter = route.inter});
  }
  return {};
}

namespace {

// A completion is asked for where something of the same rank depends on it, and at a lane's end.
void mark_signalled(Script& script) {
  for (u32 lane = 0; lane < script.lanes(); ++lane)
    for (u32 i = script.lane_begin[lane]; i < script.lane_begin[lane + 1]; ++i) {
      const bool last = i + 1 == script.lane_begin[lane + 1];
      if (last || !script.steps[i + 1].overlaps) script.steps[i].signalled = true;
    }
  for (const ScriptStep& step : script.steps)
    for (const schedule::Wait& wait : step.wait)
      if (wait.valid() && wait.steps)
        script.steps[script.lane_begin[wait.lane] + wait.steps - 1].signalled = true;
  for (ScriptStep& step : script.steps) step.signalled = step.signalled && step.sends();
}

// The lane itself among them: in the order of lanes, in which those that may go on get their turn.
void add_dependents(Script& script) {
  script.dependents.resize(script.lanes());
  for (schedule::Lane lane = 0; lane < script.lanes(); ++lane)
    script.dependents[lane].push_back(lane);
  for (const ScriptStep& step : script.steps)
    for (const schedule::Wait& wait : step.wait) {
      if (!wait.valid()) continue;
      auto& lanes = script.dependents[wait.lane];
      const auto at = std::lower_bound(lanes.begin(), lanes.end(), step.lane);
      if (at == lanes.end() || *at != step.lane) lanes.insert(at, step.lane);
    }
}

}  // namespace

Result<Script> Lowering::lower(u32 rank, Own& own) {
  const Program program = programs_.program(rank);
  Script script;
  script.lane_begin.assign(1, 0);
  std::vector<std::vector<const Step*>> lanes(program.lanes);
  for (const Step& step : program.steps) lanes[step.lane].push_back(&step);
  for (const auto& lane : lanes) {
    const Step* before = nullptr;
    for (const Step* step : lane) {
      ScriptStep made;
      made.verb = step->verb, made.lane = step->lane;
      made.first_message = u32(script.messages.size());
      for (Part part : {body, tail}) made.bytes[part] = bytes(program, *step, part);
      made.overlaps = before && schedule::overlaps_predecessor(*before, *step);
      for (int w = 0; w < 2; ++w) made.wait[std::size_t(w)] = step->wait(w);
      if (!step->is_local()) WEFT_TRY(add_messages(program, *step, script, own));
      made.messages = u32(script.messages.size()) - made.first_message;
      // Without a source of its own the first message of a fan is the first operand.
      made.operands = made.messages - u32(step->fan > 1 && made.messages == step->fan);
      script.steps.push_back(made);
      before = step;
    }
    script.lane_begin.push_back(u32(script.steps.size()));
  }
  mark_signalled(script);
  add_dependents(script);
  return script;
}

}  // namespace weft::simulate
