// Bandwidths: what a time means, and the most that any hierarchical schedule could reach.
//
// Words as in nccl-tests: algbw = bytes of the call / time, busbw = algbw times a factor that makes
// it comparable to a link. Both in bytes a second. Threads: pure functions.
#pragma once
#include "schedule/collective.hpp"
#include "schedule/shape.hpp"
#include "simulate/machine.hpp"

namespace weft::simulate {

// 2 (p-1)/p for all_reduce, (p-1)/p for the others that have blocks, 1 else.
double bus_factor(schedule::Kind kind, u32 ranks);

double algbw(u64 bytes, Time time);

// The ceiling of busbw on N nodes, the largest of G ranks, R rails, p ranks:
// (p-1)/p min(B_v G/(G-1), R B_r N/(N-1)). A rank passes 2 S (G-1)/G bytes through its port inside
// the node (bandwidth B_v each way) and a node 2 S (N-1)/N through its rails (B_r each), so an
// all-reduce of S bytes takes at least the longer of 2 S (G-1)/(G B_v) and 2 S (N-1)/(N R B_r), and
// busbw is 2 S (p-1)/p over that time. Reduce-scatter and all-gather move half and count half. For
// broadcast and reduce: min(B_v G/(G-1), R B_r), for G or N of 1 without its part. Of gather and
// scatter the root passes S (G-1)/p through its port and S (p-G)/p through its node's rails, and of
// all-to-all each rank does, so that G of them share the rails. A scan brings S into each node and
// each rank but the first. 0: there is none (barrier, one rank).
double ceiling(schedule::Kind kind, const schedule::Shape& shape, const Machine& machine);
// As a formula: "min(B_v G/(G-1), R B_r)".
const char* ceiling_formula(schedule::Kind kind);

}  // namespace weft::simulate
