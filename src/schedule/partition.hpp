// From atoms to elements: where an atom of one slice lies in the caller's buffers and in a scratch
// plane.
//
// All-reduce, broadcast, reduce and the scans cut one vector of `count` elements. The others have
// one block of `count` elements a rank, and a slice takes the same sub-range of every block, so
// slices touch disjoint elements. In the uneven forms each block has a size and a place of its own,
// and there is one slice. Cuts fall on 64 bytes (counted from the start of the slice) except at the
// end; empty ranges are normal. Both ends of a message compute the same sizes: nothing about them
// is ever sent. Threads: values, immutable once look_from has been called.
#pragma once
#include <unordered_map>
#include <vector>

#include "schedule/program.hpp"

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
  // block it is. For pairs, of all-to-all: atom t * sub + f is the block from rank f to rank t,
  // block t of the input of f and block f of the output of t.
  u32 shards = 1, sub = 1;
  bool blocks = false, pairs = false;
  std::vector<u32>
      owner;  // blocks: atom -> rank whose block it is part of; empty: atom i is block i
  std::vector<u32> part;   // blocks: atom -> index of the part in that block; empty: 0
  std::vector<u32> parts;  // blocks: rank -> number of parts its block is cut into; empty: 1

  u32 atoms() const { return shards * sub; }
  bool operator==(const Tiling&) const = default;
};

// Sizes and places of uneven blocks, in elements: block r has count[r] of them from at[r] on. Who
// has no part in a block need not know it.
struct Blocks {
  std::vector<u64> count, at;
  bool operator==(const Blocks&) const = default;
};

class Partition {
 public:
  // `count`: elements of the vector, or of one block. `unit`: elements in 64 bytes (1 if an element
  // is larger). A barrier's partition is one token of one element: Partition::token().
  Partition(Tiling tiling, u64 count, u64 unit);
  static Partition token();
  // Of blocks of any size; of pairs: input block t goes to rank t, output block f comes from rank
  // f, as one rank sees them. One slice.
  static Partition uneven(Tiling tiling, Blocks in, Blocks out, u64 unit);
  // Of pairs: which rank looks, and what passes through its planes. Before any other question.
  void look_from(const Program& program);

  u32 atoms() const { return tiling_.atoms(); }
  // Is an atom at the same place on all ranks that have it?
  bool is_alike() const { return !tiling_.pairs && !is_uneven(); }
  // In the caller's buffer (for blocks: all blocks one after the other, rank r's at r * count).
  Extent in_vector(u32 atom, Slice slice, Buffer buffer = input) const;
  // In a scratch plane of this slice. One vector: as the slice itself. Blocks: one after the other,
  // each from the next multiple of `unit` on; so planes are as aligned as the data. Pairs: close
  // together, the blocks that this rank sends, those that it receives, and those that pass through.
  // O(1).
  Extent in_plane(u32 atom, Slice slice) const;
  u64 plane_elements(Slice slice) const;

 private:
  // Relative to the slice of the vector, or of the block.
  Extent in_slice(u32 atom, u64 n) const;
  u32 block_of(u32 atom) const { return tiling_.owner.empty() ? atom : tiling_.owner[atom]; }
  bool is_uneven() const { return !blocks_[input].count.empty(); }
  u64 count_of(u32 atom, Slice slice) const;
  u32 blocks() const;
  u64 stride(u64 n) const;
  u32 place_of_pair(u32 atom) const;

  Tiling tiling_;
  u64 count_, unit_;
  Blocks blocks_[2];           // uneven: of input and output
  std::vector<u64> plane_at_;  // uneven: block -> its place in a plane; one more at the end
  u32 rank_ = 0;               // pairs
  std::unordered_map<u32, u32> passing_;  // pairs: atom -> its number among those passing through
};

}  // namespace weft::schedule
