#include "verify/layout.hpp"

#include <algorithm>

#include "verify/explain.hpp"

namespace weft::verify {
namespace {

using schedule::Level;
using schedule::Program;
using schedule::Span;
using schedule::Step;
using schedule::Verb;

Status check_level(const Program& program, u32 number) {
  const Level& level = program.levels[number];
  auto wrong = [&](const char* what) {
    return fail(Code::invalid_argument, "rank {}: level {} {}", program.rank, number, what);
  };
  if (level.cut.size() < 2) return wrong("has no chunks");
  if (!std::is_sorted(level.cut.begin(), level.cut.end())) return wrong("has cuts out of order");
  for (u32 atom : level.atom)
    if (atom >= program.atoms) return wrong("names an atom past the last");
  if (level.cut.back() > (level.atom.empty() ? program.atoms : level.atom.size()))
    return wrong("reaches past the last atom");
  if (level.me >= level.positions()) return wrong("does not hold the rank's own position");
  if (level.rank[level.me] != program.rank) return wrong("gives the own position to another rank");
  std::vector<u32> sorted = level.rank;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return wrong("holds a rank twice");
  if (sorted.back() >= program.ranks) return wrong("names a rank that does not exist");
  return {};
}

Status check_program(const Program& program, u32 rank, const Program& first, u32 ranks) {
  if (program.rank != rank || program.ranks != ranks)
    return fail(Code::invalid_argument, "program {} of {} says that it is rank {} of {}", rank,
                ranks, program.rank, program.ranks);
  if (program.atoms != first.atoms)
    return fail(Code::invalid_argument, "rank {} cuts the vector into {} atoms, rank 0 into {}",
                rank, program.atoms, first.atoms);
  if (program.lanes > schedule::no_lane)
    return fail(Code::invalid_argument, "rank {} has {} lanes, at most {} can be named", rank,
                program.lanes, schedule::no_lane);
  for (u32 i = 0; i < program.levels.size(); ++i) WEFT_TRY(check_level(program, i));
  return {};
}

// Which spans a step must have. A recv_reduce over a fan has a source only where the own position
// is in the fan: it is that position's operand.
const char* misfit(const Program& program, const Step& s) {
  const bool target = s.target.valid(), source = s.source.valid(), second = s.second.valid();
  if (s.fan == 0) return "has a fan of no position";
  if (s.count == 0) return s.is_local() ? nullptr : "is a message of no chunks";
  const u32 me = program.levels[s.level].me;
  const bool own_in_fan = s.fan == 1 || (s.peer <= me && me < s.peer + s.fan);
  switch (s.verb) {
    case Verb::send:
      return !target && source && !second ? nullptr : "must have a source and no other span";
    case Verb::recv:
      if (s.fan != 1) return "receives from a fan without reducing";
      return target && !source && !second ? nullptr : "must have a target and no other span";
    case Verb::recv_reduce:
      if (!own_in_fan && source) return "has a source though its fan leaves the own position out";
      return target && source == own_in_fan && !second ? nullptr
                                                       : "must have a target and a source";
    case Verb::copy:
      return target && source && !second ? nullptr : "must have a target and a source";
    case Verb::reduce:
      return target && source && second ? nullptr : "must have a target and two sources";
  }
  return "has no known verb";
}

// Writes out the tasks of one rank after those of the ranks before it.
class Writer {
 public:
  Writer(Layout& layout, const Program& program)
      : layout_(layout), program_(program), seen_(program.atoms, none) {}

  Status write() {
    const u32 first_lane = layout_.first_lane.back();
    std::vector<u32> made(program_.lanes, 0);
    for (u32 i = 0; i < program_.steps.size(); ++i) {
      const Step& s = program_.steps[i];
      if (s.level >= program_.levels.size()) return wrong(i, "names a level that does not exist");
      if (s.lane >= program_.lanes) return wrong(i, "names a lane that does not exist");
      if (const char* what = misfit(program_, s)) return wrong(i, what);
      Task t{
          .step = &s, .rank = program_.rank, .lane = first_lane + s.lane, .index = made[s.lane]++};
      WEFT_TRY(write_atoms(i, s, t));
      WEFT_TRY(write_peers(i, s, t));
      layout_.task.push_back(t);
    }
    WEFT_TRY(check_waits(made));
    write_lanes(made);
    return {};
  }

 private:
  template <class What>
  tl::unexpected<Error> wrong(u32 step, const What& what) const {
    return fail(Code::invalid_argument, "{} {}", describe(program_, step), what);
  }

  Status write_atoms(u32 i, const Step& s, Task& t) {
    t.first_atom = u32(layout_.atom.size());
    if (s.count == 0) return {};
    const Span* first = nullptr;
    for (const Span* span : {&s.target, &s.source, &s.second}) {
      if (!span->valid()) continue;
      WEFT_TRY(check_buffer(i, s, *span));
      if (!first) {
        first = span;
        schedule::for_each_atom(program_, s, *span, [&](u32 a) { layout_.atom.push_back(a); });
        t.atom_count = u32(layout_.atom.size()) - t.first_atom;
        WEFT_TRY(check_once(i, t));
      } else if (!same_atoms(s, *first, *span, t)) {
        return wrong(i, "has spans of different atoms: all spans of a step name the same data");
      }
      WEFT_TRY(check_window(i, *span, t));
    }
    return {};
  }

  Status check_buffer(u32 i, const Step& s, const Span& span) const {
    if (span.buffer >= schedule::first_plane + program_.planes)
      return wrong(i, fmt::format("uses {}, and the program has {} planes", name_of(span.buffer),
                                  program_.planes));
    if (&span == &s.target && span.buffer == schedule::input)
      return wrong(i, "writes the input, which belongs to the caller");
    return {};
  }

  Status check_once(u32 i, const Task& t) {
    for (u32 a : layout_.atoms_of(t)) {
      if (seen_[a] == i) return wrong(i, fmt::format("names atom {} twice", a));
      seen_[a] = i;
    }
    return {};
  }

  bool same_atoms(const Step& s, const Span& a, const Span& b, const Task& t) const {
    const u32 chunks = program_.levels[s.level].chunks();
    if (a.first % chunks == b.first % chunks && (a.stride == b.stride || s.count == 1)) return true;
    const auto atoms = layout_.atoms_of(t);
    u32 k = 0;
    bool same = true;
    schedule::for_each_atom(program_, s, b, [&](u32 atom) {
      same = same && k < atoms.size() && atoms[k] == atom;
      ++k;
    });
    return same && k == atoms.size();
  }

  Status check_window(u32 i, const Span& span, const Task& t) const {
    if (span.buffer >= schedule::first_plane) return {};
    for (u32 a : layout_.atoms_of(t))
      if (!layout_.collective->exists(program_.rank, span.buffer, a))
        return wrong(i, fmt::format("is outside the window: the {} of rank {} has no atom {}",
                                    name_of(span.buffer), program_.rank, a));
    return {};
  }

  Status write_peers(u32 i, const Step& s, Task& t) {
    t.first_peer = u32(layout_.peer.size());
    if (s.is_local()) return {};
    if (u64(s.peer) + s.fan > program_.levels[s.level].positions())
      return wrong(i, "exchanges with a position that its level does not have");
    schedule::for_each_peer(program_, s, [&](u32 rank) { layout_.peer.push_back(rank); });
    t.peer_count = u32(layout_.peer.size()) - t.first_peer;
    if (s.fan == 1 && layout_.peer.back() == program_.rank)
      return wrong(i, "exchanges a message with itself");
    if (t.peer_count == 0) return wrong(i, "exchanges with nobody");
    return {};
  }

  Status check_waits(const std::vector<u32>& made) const {
    for (u32 i = 0; i < program_.steps.size(); ++i)
      for (int w = 0; w < 2; ++w) {
        const schedule::Wait wait = program_.steps[i].wait(w);
        if (!wait.valid()) continue;
        if (wait.lane >= program_.lanes) return wrong(i, "waits for a lane that does not exist");
        if (wait.steps > made[wait.lane])
          return wrong(i, fmt::format("waits for {} steps of lane {}, which has {}", wait.steps,
                                      wait.lane, made[wait.lane]));
      }
    return {};
  }

  void write_lanes(const std::vector<u32>& made) {
    const u32 first_lane = layout_.first_lane.back();
    for (u32 n : made) layout_.lane_begin.push_back(layout_.lane_begin.back() + n);
    layout_.lane_task.resize(layout_.task.size());
    for (u32 t = layout_.first_task.back(); t < layout_.task.size(); ++t) {
      const Task& task = layout_.task[t];
      layout_.lane_task[layout_.lane_begin[task.lane] + task.index] = t;
    }
    layout_.first_lane.push_back(first_lane + program_.lanes);
    layout_.first_task.push_back(u32(layout_.task.size()));
  }

  Layout& layout_;
  const Program& program_;
  std::vector<u32> seen_;  // atom -> the last step that named it
};

Status check_collective(const schedule::Collective& collective, u32 ranks, u32 atoms) {
  if (collective.root >= ranks)
    return fail(Code::invalid_argument, "the root is rank {}, and there are {} ranks",
                collective.root, ranks);
  if (!collective.owner.empty() && collective.owner.size() != atoms)
    return fail(Code::invalid_argument, "{} atoms have an owner, and the vector has {}",
                collective.owner.size(), atoms);
  if (collective.kind == schedule::Kind::all_to_all) {
    if (collective.ranks == ranks && u64(ranks) * ranks == atoms) return {};
    return fail(Code::invalid_argument,
                "all_to_all of {} ranks needs an atom for each of their pairs, not {} for {} ranks",
                ranks, atoms, collective.ranks);
  }
  for (u32 a = 0; has_blocks(collective.kind) && a < atoms; ++a)
    if (collective.owner_of(a) >= ranks)
      return fail(Code::invalid_argument, "atom {} belongs to rank {}, and there are {} ranks", a,
                  collective.owner_of(a), ranks);
  return {};
}

}  // namespace

Result<Layout> lay_out(std::span<const Program> programs, const schedule::Collective& collective) {
  if (programs.empty()) return fail(Code::invalid_argument, "a schedule without ranks");
  Layout layout{.programs = programs, .collective = &collective};
  std::size_t steps = 0;
  for (const Program& program : programs) steps += program.steps.size();
  layout.task.reserve(steps);
  layout.first_task = layout.first_lane = layout.lane_begin = {0};
  WEFT_TRY(check_collective(collective, u32(programs.size()), programs[0].atoms));
  for (u32 r = 0; r < programs.size(); ++r) {
    WEFT_TRY(check_program(programs[r], r, programs[0], u32(programs.size())));
    WEFT_TRY(Writer(layout, programs[r]).write());
  }
  return layout;
}

}  // namespace weft::verify
