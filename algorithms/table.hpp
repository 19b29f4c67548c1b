// The one table of algorithms: names, what each can do, what it costs, how it is made.
//
// A flat algorithm has a row here. A hierarchical one is a pair of rows, "INTRA/INTER", see
// hierarchical.hpp. The runtime chooses by name, the verifier proves every name; what is not in the
// table does not exist. Threads: any; all of it is constant.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/phase.hpp"
#include "algorithms/plan.hpp"
#include "base/result.hpp"
#include "schedule/collective.hpp"
#include "schedule/program.hpp"
#include "schedule/schedule.hpp"
#include "schedule/shape.hpp"

namespace weft::algorithms {

// A set of collectives.
class Kinds {
 public:
  constexpr Kinds() = default;
  constexpr Kinds(std::initializer_list<Kind> kinds) {
    for (Kind kind : kinds) bits_ |= u16(1u << u32(kind));
  }
  constexpr bool has(Kind kind) const { return bits_ >> u32(kind) & 1; }

 private:
  u16 bits_ = 0;
};

// How an algorithm for all-to-all numbers blocks: chunk c is the blocks at(g, me, i) for i from
// cut(g, c) to cut(g, c + 1).
struct PairList {
  u32 (*cut)(u32 positions, u32 chunk);
  Pair (*at)(u32 positions, u32 me, u32 i);
};

struct Algorithm {
  std::string_view name;
  std::string_view about;   // one sentence
  std::string_view rounds;  // formula in g positions
  std::string_view bytes;   // sent by the busiest position, in n bytes of the vector
  std::string_view source;
  Kinds kinds;
  Kinds power_of_two;  // the kinds for which it needs 2^k positions
  u32 canonical_to;    // the most positions for which its sums have the canonical tree
  bool fans;           // its fan holds all positions
  u32 (*chunks)(Kind kind, u32 positions);  // what its level must be cut into
  Phase (*make)(Kind kind, const Place& place);
  // All-to-all alone: null where chunk q is what goes to position q and chunk g + q what comes from
  // it, whatever that is. Only such a one can be a phase of another.
  const PairList* pairs = nullptr;
};

std::span<const Algorithm> table();
const Algorithm* find(std::string_view name);  // null: no such row
Status supports(const Algorithm& algorithm, Kind kind, u32 positions);
// The generator for a place; one position needs no algorithm.
Phase make(const Algorithm& algorithm, Kind kind, const Place& place);

// All names, flat and hierarchical, that support this kind and shape, in the order of the table.
std::vector<std::string> names(Kind kind, const Shape& shape);
Status supports(std::string_view algorithm, Kind kind, const Shape& shape);
Order order_of(std::string_view algorithm, Kind kind, const Shape& shape);
// The best order that hierarchical schedules keep on this shape: canonical, or else shape.
Order natural_order(const Shape& shape);

struct Emitted {
  schedule::Program program;
  schedule::Tiling tiling;
  schedule::Collective collective;
};
// Written out, one rank or all of them; `Plan` in plan.hpp is the lazy form.
Result<Emitted> emit(std::string_view algorithm, Kind kind, const Shape& shape, u32 root, u32 rank);
Result<schedule::Schedule> emit_all(std::string_view algorithm, Kind kind, const Shape& shape,
                                    u32 root);

}  // namespace weft::algorithms
