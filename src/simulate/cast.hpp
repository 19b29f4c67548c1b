// Who plays which script to whom: programs lowered for one call on one machine.
//
// Ranks whose programs do the same, with the same partners at each step, have the same timeline to
// the picosecond, since nothing that two ranks do at one instant depends on the other. One actor
// stands for all of them. This is checked, not assumed: ranks are split until all ranks of an actor
// agree, message by message, on the partner's actor and on the partner's step (the coarsest
// equitable partition). Where two ranks share a card each rank is its own actor.
// Lifetime: stands alone. Threads: immutable once made.
#pragma once
#include <string>
#include <vector>

#include "simulate/programs.hpp"
#include "simulate/script.hpp"

namespace weft::simulate {

// A call, cut into slices the way the executor cuts it.
struct Call {
  u64 count = 0;  // elements of the vector; of one block in reduce_scatter and all_gather
  u32 element_bytes = 4;
  u64 slice_elements = 0;  // of the vector or of every block; 0: one slice
};

struct Mate {
  u32 actor = 0, message = 0;
};

struct Actor {
  u32 rank = 0;   // one that it stands for
  u32 ranks = 1;  // how many it stands for
  u32 script = 0;
  u32 first_mate = 0;  // mates[first_mate + m] is at the other end of message m
  u32 first_wire = 0;  // wires[first_wire + w] is the resource of its wire w
};

struct Wire {
  u32 many = 1;  // how many it stands for
  bool inter = false;
};

struct Cast {
  u32 ranks = 0, nodes = 0, rails = 0;
  u64 slices = 1;
  std::vector<Script> scripts;
  std::vector<Actor> actors;
  std::vector<Mate> mates;
  std::vector<u32> wires;      // of actors
  std::vector<Wire> resource;  // what `wires` names
};

enum class Merge : u8 { alike, none };

// Fails where the programs do not match each other: a message without its other end, or ends that
// differ in bytes (`weft verify` says more), and on calls beyond the simulator's counters.
Result<Cast> lower(const Programs& programs, const Call& call, Merge merge = Merge::alike);

}  // namespace weft::simulate
