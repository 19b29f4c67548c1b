// Narrow floats from their definition: a table of what each code means, and rounding by a search
// for the two neighbours. Slow, and without any of the tricks of the kernels.
// Threads: any, once the tables exist; they are made on first use.
#pragma once
#include <vector>

#include "base/datatype.hpp"

namespace weft::host::test {

struct NarrowFormat {
  int exponent_bits, mantissa_bits;
  bool has_infinity;  // else the largest code alone is NaN, and what is below it are numbers
  u32 nan;            // the one that operations yield

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  u32 sign() const { return 1u << (exponent_bits + mantissa_bits); }
  // The first positive code that is no number: infinity, or NaN.
  u32 special() const {
    return has_infinity ? ((1u << exponent_bits) - 1) << mantissa_bits : sign() - 1;
  }
};

NarrowFormat format_of(DataType type);

// The number of a code, exactly; NaN for all NaNs.
double decode(DataType type, u32 code);

// The value of positive codes up to special(), as if that were a number too: where numbers from
// half-way to it go that are too large.
const std::vector<double>& magnitudes(DataType type);

// The nearest code, to even where two are as near. `value` is exact, from a float32.
u32 encode(DataType type, double value);

}  // namespace weft::host::test
