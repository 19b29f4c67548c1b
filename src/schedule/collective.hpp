// What a collective promises: who has which atoms before, and after.
//
// The verifier proves a schedule against this, and the executor takes its windows from here.
#pragma once
#include <vector>

#include "schedule/step.hpp"

namespace weft::schedule {

enum class Kind : u8 { all_reduce, reduce_scatter, all_gather, broadcast, barrier };
inline constexpr Kind all_kinds[] = {Kind::all_reduce, Kind::reduce_scatter, Kind::all_gather,
                                     Kind::broadcast, Kind::barrier};
const char* name_of(Kind kind);  // "all_reduce"
bool reduces(Kind kind);

// In which order a reduction combines its operands; each implies the next.
enum class Order : u8 {
  canonical,  // the tree C over ranks: bits depend on the inputs alone
  shape,      // C over nodes of C within a node: the same bits for the same node shape
  fast,       // one tree for each atom, the same on all ranks and in every run
};
const char* name_of(Order order);

// owner[a] is the rank of atom a in reduce-scatter (whose output it is) and all-gather (whose input
// it is); empty: atom i belongs to rank i. `root` matters to broadcast only.
struct Collective {
  Kind kind = Kind::all_reduce;
  u32 root = 0;
  std::vector<u32> owner;

  bool operator==(const Collective&) const = default;
  u32 owner_of(u32 atom) const { return owner.empty() ? atom : owner[atom]; }

  // Does this buffer of this rank hold this atom at all? Inputs of all-gather and outputs of
  // reduce-scatter are windows: the own block only. The input of broadcast exists at the root only.
  // Scratch holds all.
  bool exists(u32 rank, Buffer buffer, u32 atom) const {
    if (buffer == input && kind == Kind::all_gather) return owner_of(atom) == rank;
    if (buffer == input && kind == Kind::broadcast) return rank == root;
    if (buffer == output && kind == Kind::reduce_scatter) return owner_of(atom) == rank;
    return true;
  }
};

}  // namespace weft::schedule
