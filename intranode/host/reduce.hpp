// Reductions on the CPU: one function for each element type and operator.
//
// A function combines any number of operands in one pass by the canonical tree (base/datatype.hpp
// has the rules), so a rank that owns a shard reads each peer's copy once and writes the result
// once. The code is compiled for several instruction sets and the machine's best one is picked when
// a function is asked for; all of them give the same bits.
//
//   integers  sums wrap
//   floats    IEEE, rounded once an operation, nothing contracted or flushed; every NaN that an
//             operation yields is the positive quiet NaN with an empty payload; for min and max NaN
//             wins over numbers, and -0 < +0
//
// One operand is copied bit for bit: no operation, so a NaN keeps its payload.
// Threads: any; the functions are pure and do not allocate.
#pragma once
#include "base/datatype.hpp"

namespace weft::host {

ReduceFunction reduce_function(DataType type, Op op);

// The instruction set that reduce_function picks on this machine, for reports: "AVX3".
const char* instruction_set();

}  // namespace weft::host
