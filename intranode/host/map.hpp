// Functions of one element each on the CPU: scaling, averages, and the way between narrow floats
// and float32.
//
// The rules of reduce.hpp hold here too: integers wrap, floats round to nearest even, every NaN is
// the positive quiet one with an empty payload, overflow does not saturate, all instruction sets
// give the same bits. Aliasing as MapFunction says: the target may be the source exactly where
// their elements have one size, else the two do not overlap.
// Threads: any; the functions are pure and do not allocate.
#pragma once
#include "base/datatype.hpp"

namespace weft::host {

// target[i] = source[i] * scalar; the parameter points to the scalar, one element of the type at
// any address. Narrow floats multiply in float32 and round once. nullptr for booleans and pairs.
MapFunction multiply(DataType type);

// target[i] = source[i] / n; the parameter points to n, a u64 of at least 1 at any address.
// Floats divide in float32 (float64: in float64) by n rounded to that type, narrow ones then round
// once; integers truncate towards zero. nullptr for booleans and pairs.
MapFunction divide(DataType type);

// target, float32[i] = source[i], a narrow float, exactly. The parameter is not looked at. nullptr
// where is_narrow(type) is false; the same holds for narrow.
MapFunction widen(DataType type);

// target[i], a narrow float = source, float32[i], rounded to nearest even.
MapFunction narrow(DataType type);

}  // namespace weft::host
