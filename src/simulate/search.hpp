// The slices and frames under which a schedule is fastest on a machine, by simulation.
//
// Slices are cut at powers of two and frames are powers of two; from a middling start the search
// goes to the best neighbour (twice or half the slice, twice or half the frames) until none is
// faster: times have one valley in both, since small slices cost rounds and large ones fill and
// drain slowly. What the caller fixes stays. Deterministic. Threads: pure.
#pragma once
#include <optional>

#include "simulate/simulate.hpp"

namespace weft::simulate {

struct Job {
  u64 bytes = 0;  // of the vector; of all blocks together in reduce_scatter and all_gather
  u32 element_bytes = 4;
};

struct Setting {
  u64 slice_bytes = 0;  // 0: one slice
  u32 frames = 1;
  bool operator==(const Setting&) const = default;
};

struct Wish {  // what is fixed
  std::optional<u64> slice_bytes;
  std::optional<u32> frames;
  u32 most_frames = 64;
  // Messages times slices that one simulation may have before the search leaves it out.
  u64 most_messages = u64{1} << 24;
  Merge merge = Merge::alike;
};

struct Found {
  Setting setting;
  u64 slices = 1;
  u32 actors = 0;  // ranks that differ
  Outcome outcome;
  u32 simulations = 0;
};

// The call as the executor would cut it. Fails when bytes are no whole elements of every block.
Result<Call> call_of(const Programs& programs, const Job& job, u64 slice_bytes);

u64 messages_of(const Cast& cast);  // over all actors and slices

// The outcome has its critical path. Fails as lower() and simulate() do, and when nothing stays
// below `most_messages`.
Result<Found> search(const Programs& programs, const Machine& machine, const Job& job,
                     const Wish& wish);

}  // namespace weft::simulate
