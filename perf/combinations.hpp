// Which operators go with which types: what the library says, and mulsum, which is made for
// numbers.
//
// Threads: pure functions.
#pragma once
#include "perf/options.hpp"

namespace weft::perf {

bool goes_with(const Operator& op, const ElementType& type);

// A failure where not one of the types takes one of the operators asked for; it says what does.
Status go_together(const Options& options);

// Does a walk over the types and operators of `options` take this pair? Operators named "wide" are
// left out of all of them where they are the plain ones: for types not narrower than float.
bool is_walked(const Options& options, const ElementType& type, const Operator& op);

}  // namespace weft::perf
