// Reductions on the CPU: one function for each element type and operator that go together.
//
// A function combines any number of operands in one pass by the canonical tree (base/datatype.hpp
// has the rules), so a rank that owns a shard reads each peer's copy once and writes the result
// once. The code is compiled for several instruction sets and the machine's best one is picked when
// a function is asked for; all of them give the same bits.
//
//   integers  sum and prod wrap; min and max by signedness; band, bor, bxor bit by bit; land, lor,
//             lxor look at zero and not zero and give 0 or 1 in the type
//   booleans  sum, max, bor, lor: true if any is; prod, min, band, land: true if all are; bxor,
//             lxor: true if an odd number is; the result is 0 or 1
//   floats    IEEE, rounded to nearest even at every node of the tree, nothing contracted or
//             flushed; for min and max NaN wins over numbers, and -0 < +0
//   narrow    float16, bfloat16, e4m3, e5m2: every node computes in float32 and is rounded to the
//             type, also where nodes stay in registers: bits do not depend on grouping. Overflow is
//             IEEE's, to infinity, or NaN in e4m3, which has none; it never saturates, because
//             loss scaling must see it. Subnormals are kept.
//   NaN       every NaN that an operation yields is the positive quiet one with an empty payload:
//             float16 0x7e00, bfloat16 0x7fc0, e4m3 0x7f, e5m2 0x7e
//   pairs     minloc and maxloc: the smaller, the larger value wins; of equal values the lower
//             index; a NaN wins over numbers, among NaNs the lower index; -0 < +0. The winner is
//             copied whole, padding and NaN payload too; of fully equal ones the left one.
//   avg       is sum; the caller divides the result (map.hpp)
//
// One operand is copied bit for bit: no operation, so a NaN keeps its payload and a boolean 2
// stays 2. Floats take the thread's floating-point environment, which must be the default one.
// Threads: any; the functions are pure and do not allocate.
#pragma once
#include "base/datatype.hpp"

namespace weft::host {

// nullptr where supports(type, op) is false. The function ignores its context.
ReduceFunction reduce_function(DataType type, Op op);

// The instruction set that is picked on this machine, for reports: "AVX3".
const char* instruction_set();

}  // namespace weft::host
