// Random but sound schedules for round trips. Every test prints its seed when it fails.
#pragma once
#include <random>

#include "schedule/schedule.hpp"

namespace weft::schedule {

class Any {
 public:
  explicit Any(u64 seed) : dice_(seed) {}

  u32 below(u32 end) { return u32(dice_() % end); }
  bool coin() { return below(2) == 1; }

  Step step(const Program& program) {
    Step s;
    s.verb = Verb(below(5));
    s.lane = Lane(below(program.lanes));
    s.port = coin() ? 0 : u8(below(256));
    s.level = u8(below(u32(program.levels.size())));
    s.count = below(4);
    for (Span* span : {&s.target, &s.source, &s.second})
      if (coin())
        *span = {.first = below(9),
                 .buffer = Buffer(below(2 + program.planes)),
                 .stride = u8(below(5)),
                 .right = below(4) == 0};
    if (coin()) s.peer = below(7);
    if (coin()) s.fan = u16(below(4) * 3);
    for (int i : {0, 1})
      if (coin()) s.set_wait(i, {Lane(below(program.lanes)), below(100)});
    return s;
  }

  Program program(u32 rank, u32 ranks, u32 atoms) {
    Program p{.rank = rank, .ranks = ranks, .atoms = atoms};
    p.planes = below(4), p.lanes = 1 + below(254);
    for (u32 n = 1 + below(3); n; --n) {
      Level level;
      for (u32 positions = 1 + below(9); positions; --positions) level.rank.push_back(below(ranks));
      level.me = below(level.positions());
      for (u32 atom = 0; atom <= atoms; ++atom)
        if (atom < 2 || coin()) level.cut.push_back(atom);
      for (u32 i = 0; i < atoms && below(3) == 0; ++i) level.atom.push_back(below(atoms));
      if (level.atom.size() < level.cut.back()) level.atom.clear();
      p.levels.push_back(level);
    }
    for (u32 n = below(40); n; --n) p.steps.push_back(step(p));
    return p;
  }

  Schedule schedule() {
    const u32 ranks = 1 + below(5);
    Schedule s;
    s.collective = {.kind = all_kinds[below(std::size(all_kinds))],
                    .root = below(ranks),
                    .owner = {},
                    .ranks = coin() ? ranks : 0};
    s.tiling = {.shards = 1 + below(9), .sub = 1 + below(4), .blocks = coin()};
    for (u32 atom = 0; s.tiling.blocks && atom < s.tiling.atoms(); ++atom) {
      const u32 owner = below(ranks);
      s.tiling.parts.resize(std::max<std::size_t>(s.tiling.parts.size(), owner + 1));
      s.collective.owner.push_back(owner);
      s.tiling.owner.push_back(owner);
      s.tiling.part.push_back(s.tiling.parts[owner]++);
    }
    for (u32 rank = 0; rank < ranks; ++rank)
      s.programs.push_back(program(rank, ranks, s.tiling.atoms()));
    return s;
  }

 private:
  std::mt19937_64 dice_;
};

}  // namespace weft::schedule
