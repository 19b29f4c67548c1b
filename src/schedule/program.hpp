// One rank's part of a schedule, written out: its levels and its steps.
//
// Generators (algorithms/) yield steps one at a time; `emit` collects them here for the executor,
// the verifier and the text form. A program describes one slice. Threads: immutable once emitted,
// shared freely.
#pragma once
#include <string>
#include <vector>

#include "schedule/step.hpp"

namespace weft::schedule {

// What an algorithm sees of the world: positions that are ranks, and chunks that are runs of atoms.
struct Level {
  std::vector<u32> rank;  // position -> rank
  u32 me = 0;             // my position
  std::vector<u32> cut;   // chunk i = atoms [cut[i], cut[i + 1])
  std::vector<u32> atom;  // of this list, where it is not empty: what a message of many pairs names

  u32 positions() const { return u32(rank.size()); }
  u32 chunks() const { return u32(cut.size()) - 1; }
  u32 atom_at(u32 i) const { return atom.empty() ? i : atom[i]; }
  bool operator==(const Level&) const = default;
};

struct Program {
  u32 rank = 0, ranks = 1;
  u32 atoms = 1;   // the finest parts of a vector: the unit of partition and proof
  u32 planes = 0;  // scratch images
  u32 lanes = 0;
  std::vector<Level> levels;
  std::vector<Step> steps;  // the order of a lane is the order in this list

  bool operator==(const Program&) const = default;
};

// Calls f(atom) for the atoms of a span of step s, in the order of the wire.
template <class F>
void for_each_atom(const Program& program, const Step& s, const Span& span, F&& f) {
  const Level& level = program.levels[s.level];
  for (u32 k = 0; k < s.count; ++k) {
    const u32 chunk = span.chunk(k, level.chunks());
    for (u32 i = level.cut[chunk]; i < level.cut[chunk + 1]; ++i) f(level.atom_at(i));
  }
}

// Calls f(rank) for the peers that step s exchanges messages with, in the order of positions: its
// own position is left out of a fan. A position outside the level gives rank ~0u: the verifier
// rejects it.
template <class F>
void for_each_peer(const Program& program, const Step& s, F&& f) {
  const Level& level = program.levels[s.level];
  for (u32 q = s.peer; q < s.peer + s.fan; ++q)
    if (s.fan == 1 || q != level.me) f(q < level.positions() ? level.rank[q] : ~0u);
}

// A step issues as soon as its predecessor on the lane has issued if both send or both receive;
// otherwise once the predecessor has retired.
inline bool overlaps_predecessor(const Step& before, const Step& s) {
  return (before.sends() && s.sends()) || (before.receives() && s.receives());
}

}  // namespace weft::schedule
