// What a collective promises: who has which atoms before, and after.
//
// The verifier proves a schedule against this, and the executor takes its windows from here. The
// uneven forms (gatherv and the like) are the same collectives: atoms may have any size, and how
// large each is only the partition knows.
#pragma once
#include <vector>

#include "schedule/step.hpp"

namespace weft::schedule {

enum class Kind : u8 {
  all_reduce,
  reduce_scatter,
  all_gather,
  broadcast,
  barrier,
  reduce,      // the sum at the root
  gather,      // all blocks at the root
  scatter,     // each its block of the root's
  all_to_all,  // a block from each to each
  scan,        // rank r gets the sum of ranks 0 to r
  exscan,      // of ranks 0 to r - 1; rank 0 gets nothing
};
inline constexpr Kind all_kinds[] = {Kind::all_reduce, Kind::reduce_scatter, Kind::all_gather,
                                     Kind::broadcast,  Kind::barrier,        Kind::reduce,
                                     Kind::gather,     Kind::scatter,        Kind::all_to_all,
                                     Kind::scan,       Kind::exscan};
const char* name_of(Kind kind);  // "all_reduce"

constexpr bool is_scan(Kind kind) { return kind == Kind::scan || kind == Kind::exscan; }
constexpr bool reduces(Kind kind) {
  return kind == Kind::all_reduce || kind == Kind::reduce_scatter || kind == Kind::reduce ||
         is_scan(kind);
}
constexpr bool has_root(Kind kind) {
  return kind == Kind::broadcast || kind == Kind::reduce || kind == Kind::gather ||
         kind == Kind::scatter;
}
// The vector is one block a rank. Where not, it is cut into shards.
constexpr bool has_blocks(Kind kind) {
  return kind == Kind::reduce_scatter || kind == Kind::all_gather || kind == Kind::gather ||
         kind == Kind::scatter || kind == Kind::all_to_all;
}

// In which order a reduction combines its operands; each implies the next.
enum class Order : u8 {
  canonical,  // the tree C over ranks: bits depend on the inputs alone
  shape,      // C over nodes of C within a node: the same bits for the same node shape
  fast,       // one tree for each atom, the same on all ranks and in every run
};
const char* name_of(Order order);

// owner[a] is the rank of atom a where the vector is blocks; empty: atom i belongs to rank i.
// `ranks` matters to all-to-all only: its atom t * ranks + f goes from rank f to rank t.
struct Collective {
  Kind kind = Kind::all_reduce;
  u32 root = 0;
  std::vector<u32> owner = {};
  u32 ranks = 0;

  bool operator==(const Collective&) const = default;
  u32 owner_of(u32 atom) const { return owner.empty() ? atom : owner[atom]; }
  u32 source_of(u32 atom) const { return atom % ranks; }
  u32 target_of(u32 atom) const { return atom / ranks; }

  // Does this buffer of this rank hold this atom at all? Where not, it is no memory of the
  // caller's. Scratch holds all.
  bool exists(u32 rank, Buffer buffer, u32 atom) const {
    if (buffer != input && buffer != output) return true;
    const bool in = buffer == input;
    switch (kind) {
      case Kind::all_reduce:
      case Kind::barrier:
      case Kind::scan: return true;
      case Kind::reduce_scatter: return in || owner_of(atom) == rank;
      case Kind::all_gather: return !in || owner_of(atom) == rank;
      case Kind::broadcast: return !in || rank == root;
      case Kind::reduce: return in || rank == root;
      case Kind::gather: return in ? owner_of(atom) == rank : rank == root;
      case Kind::scatter: return in ? rank == root : owner_of(atom) == rank;
      case Kind::all_to_all: return (in ? source_of(atom) : target_of(atom)) == rank;
      case Kind::exscan: return in || rank > 0;
    }
    return true;
  }

  // Calls f(atom) for the atoms that exist there, of `atoms` in all.
  template <class F>
  void for_each_atom_of(u32 rank, Buffer buffer, u32 atoms, F&& f) const {
    if (kind == Kind::all_to_all) {  // ranks of a square: not to be searched
      for (u32 peer = 0; peer < ranks; ++peer)
        f(buffer == input ? peer * ranks + rank : rank * ranks + peer);
      return;
    }
    for (u32 atom = 0; atom < atoms; ++atom)
      if (exists(rank, buffer, atom)) f(atom);
  }
};

}  // namespace weft::schedule
