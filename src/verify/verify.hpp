// The proof of a schedule, symbolic and for every message size.
//
//   layout    each step is well formed and stays inside its windows
//   matching  the k-th send of a channel meets the k-th receive, same atoms in the same order
//   progress  it runs to the end with zero buffering, so with any number of slots
//   races     every two accesses to a location, one of them a write, are ordered by the rank's own
//             edges: an empty message orders nothing
//   values    no read of what was never written, each contribution counted exactly once, the
//             promised tree, the same on all ranks
//
// Each has a file of its own in this folder, in this order. Threads: pure functions; proofs of
// different schedules run in parallel.
#pragma once
#include <span>
#include <string>

#include "schedule/collective.hpp"
#include "schedule/program.hpp"
#include "schedule/shape.hpp"

namespace weft::verify {

using schedule::Order;

// Are input and output two buffers of the caller's or one? The same program must do for both.
enum class Buffers : u8 { apart, in_place, both };

// `all` is for comparison: it takes every message for an edge, as if none were ever empty.
enum class Edges : u8 { own_rank, all };

struct Options {
  Buffers buffers = Buffers::both;
  Edges edges = Edges::own_rank;
  Order promise = Order::fast;
  const schedule::Shape* shape = nullptr;  // of the order `shape`; null: that order does not exist
  u32 instances = 2;                       // run one after the other in one frame
  u32 window = ~0u;                        // steps of a lane in flight, at most
};

struct Verdict {
  std::string fault;          // empty: proved
  Order order = Order::fast;  // the strongest that holds, for reductions

  bool ok() const { return fault.empty(); }
};

// `programs` are those of all ranks, in order.
Verdict verify(std::span<const schedule::Program> programs, const schedule::Collective& collective,
               const Options& options = {});

}  // namespace weft::verify
