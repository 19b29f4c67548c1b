// From atoms to elements: where an atom of one slice lies in the caller's vector and in a scratch
// plane.
//
// All-reduce and broadcast cut one vector of `count` elements; reduce-scatter and all-gather have
// one block of `count` elements a rank, and a slice takes the same sub-range of every block, so
// slices touch disjoint elements. Cuts fall on 64 bytes (counted from the start of the slice)
// except at the end; empty ranges are normal. Both ends of a message compute the same extents:
// nothing about sizes is ever sent. Threads: immutable values.
#pragma once
#include <vector>

#include "schedule/collective.hpp"

namespace weft::schedule {

// Elements, not bytes.
struct Extent {
  u64 offset = 0, count = 0;
  bool operator==(const Extent&) const = default;
};

// A half-open range of elements of the vector (or of every block): the part that one slice covers.
struct Slice {
  u64 begin = 0, end = 0;
};

// Cut i of n elements into `parts` nearly equal parts, on multiples of `unit` elements (the last
// may be short). 0 <= i <= parts; cut(0) = 0, cut(parts) = n; monotone.
u64 cut(u64 n, u32 parts, u32 i, u64 unit);

// How the atoms of a schedule tile the data. Every generator gives one beside its steps.
struct Tiling {
  // shards * sub atoms. For one vector: atom c * sub + t is part t of shard c, the vector being cut
  // into shards and each shard into sub parts. For blocks: owner and part tell which part of whose
  // block it is.
  u32 shards = 1, sub = 1;
  bool blocks = false;
  std::vector<u32>
      owner;  // blocks: atom -> rank whose block it is part of; empty: atom i is block i
  std::vector<u32> part;   // blocks: atom -> index of the part in that block; empty: 0
  std::vector<u32> parts;  // blocks: rank -> number of parts its block is cut into; empty: 1

  u32 atoms() const { return shards * sub; }
  bool operator==(const Tiling&) const = default;
};

class Partition {
 public:
  // `count`: elements of the vector, or of one block. `unit`: elements in 64 bytes (1 if an element
  // is larger). A barrier's partition is one token of one element: Partition::token().
  Partition(Tiling tiling, u64 count, u64 unit);
  static Partition token();

  u32 atoms() const { return tiling_.atoms(); }
  // In the caller's vector (for blocks: all blocks one after the other, rank r's at r * count).
  Extent in_vector(u32 atom, Slice slice) const;
  // In a scratch plane of this slice. One vector: as the slice itself. Blocks: block r begins at r
  // times the slice's length rounded up to `unit`. So planes are as aligned as the data. O(1).
  Extent in_plane(u32 atom, Slice slice) const;
  u64 plane_elements(Slice slice) const;

 private:
  // Relative to the slice of the vector, or of the block.
  Extent in_slice(u32 atom, u64 n) const;
  u32 block_of(u32 atom) const { return tiling_.owner.empty() ? atom : tiling_.owner[atom]; }

  Tiling tiling_;
  u64 count_, unit_;
};

}  // namespace weft::schedule
