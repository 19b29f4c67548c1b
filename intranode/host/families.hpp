// The reductions of one family of types each, in the machine's best instruction set; reduce.hpp
// puts them together. They are apart so that they compile apart: every file holds its kernels once
// for each instruction set. nullptr where the type is not of the family or the operator not of the
// type. Threads: any.
#pragma once
#include "base/datatype.hpp"

namespace weft::host {

ReduceFunction integer_function(DataType type, Op op);  // booleans too
ReduceFunction float_function(DataType type, Op op);    // float32, float64
ReduceFunction narrow_function(DataType type, Op op);   // float16, bfloat16, e4m3, e5m2
ReduceFunction pair_function(DataType type, Op op);

}  // namespace weft::host
