// Reductions of single elements by plain arithmetic: the oracle of the data tests, and what the
// fake library computes.
//
// Slow and simple on purpose, and nothing of perf's: narrow floats are decoded by their formula,
// and rounded by looking for the nearest of all numbers of the type. Threads: pure functions.
#pragma once
#include <weft/weft.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::model {

struct Value {
  double real = 0;         // of floats, and of the value of a pair of floats
  std::int64_t whole = 0;  // of integers, sign-extended, and of the value of a pair of integers
  std::int32_t index = 0;  // of pairs
};

std::size_t bytes_of(weft_datatype_t type);
bool is_float(weft_datatype_t type);
bool is_integer(weft_datatype_t type);  // bool not included
bool is_narrow(weft_datatype_t type);
bool is_pair(weft_datatype_t type);
bool is_signed(weft_datatype_t type);  // of integers
bool reduces(weft_datatype_t type, weft_op_t op);

Value decoded(weft_datatype_t type, const std::byte* from);
void encode(weft_datatype_t type, const Value& value, std::byte* to);

// In `type` as memory holds it: wrapped or rounded once.
Value combined(weft_datatype_t type, weft_op_t op, const Value& left, const Value& right);
Value multiplied(weft_datatype_t type, const Value& value, const Value& scalar);

// The type in which a wide operator combines.
weft_datatype_t combining_type(weft_datatype_t type, weft_op_t op);
// What stands at the end: the quotient of an average.
Value finished(weft_datatype_t type, weft_op_t op, const Value& reduced, int ranks);

}  // namespace weft::model
