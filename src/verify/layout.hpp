// The programs of all ranks as flat tables, and the first proof: every step is well formed.
//
// Each step of each rank becomes a Task: its atoms are written out once, since matching, values and
// races all ask for them. What can be judged by looking at one step alone is judged here: spans
// that its verb allows, all naming the same atoms, each once, inside the buffer's window, never
// writing the input. Lifetime: borrows the programs and the collective. Threads: immutable once
// made.
#pragma once
#include <span>
#include <vector>

#include "base/result.hpp"
#include "schedule/collective.hpp"
#include "schedule/program.hpp"

namespace weft::verify {

inline constexpr u32 none = ~0u;

struct Task {
  const schedule::Step* step = nullptr;
  u32 rank = 0;
  u32 lane = 0;                        // of all lanes of all ranks
  u32 index = 0;                       // how many steps precede it on its lane
  u32 first_atom = 0, atom_count = 0;  // in Layout::atom
  u32 first_peer = 0, peer_count = 0;  // in Layout::peer; a rank's own position in a fan is no peer

  bool exchanges() const { return peer_count && atom_count; }  // an empty message is no message
};

struct Layout {
  std::span<const schedule::Program> programs;
  const schedule::Collective* collective = nullptr;
  std::vector<Task> task;       // rank by rank, in the order of the program
  std::vector<u32> first_task;  // rank -> its first task; one more at the end
  std::vector<u32> first_lane;  // rank -> its first lane; one more at the end
  std::vector<u32> lane_begin;  // lane -> its first entry in lane_task; one more at the end
  std::vector<u32> lane_task;   // the tasks of a lane, in order
  std::vector<u32> atom, peer;  // pools

  u32 ranks() const { return u32(programs.size()); }
  u32 atoms() const { return programs.empty() ? 0 : programs[0].atoms; }
  u32 lanes_of(u32 rank) const { return first_lane[rank + 1] - first_lane[rank]; }
  u32 length(u32 lane) const { return lane_begin[lane + 1] - lane_begin[lane]; }
  u32 at(u32 lane, u32 index) const { return lane_task[lane_begin[lane] + index]; }
  u32 step_number(u32 t) const { return t - first_task[task[t].rank]; }
  std::span<const u32> atoms_of(const Task& t) const {
    return {atom.data() + t.first_atom, t.atom_count};
  }
  std::span<const u32> peers_of(const Task& t) const {
    return {peer.data() + t.first_peer, t.peer_count};
  }
};

Result<Layout> lay_out(std::span<const schedule::Program> programs,
                       const schedule::Collective& collective);

// The places of one rank's memory, numbered. In place, input and output are one location wherever
// both exist; that is all that tells the two proofs apart.
struct Places {
  const schedule::Collective* collective;
  u32 rank, atoms;
  bool in_place;

  u32 of(schedule::Buffer buffer, u32 atom) const {
    if (in_place && buffer == schedule::input && collective->exists(rank, schedule::output, atom))
      buffer = schedule::output;
    return buffer * atoms + atom;
  }
  u32 count(u32 planes) const { return (schedule::first_plane + planes) * atoms; }
};

}  // namespace weft::verify
