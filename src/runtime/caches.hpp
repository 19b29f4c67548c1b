// What the caches of this machine hold, compared with what a call touches.
//
// Each rank decides for itself how it stores results, so ranks on different machines need not
// agree. Threads: any.
#pragma once
#include "schedule/collective.hpp"
#include "schedule/shape.hpp"

namespace weft::runtime {

// Do the inputs and outputs of the ranks that share a cache exceed it?
bool exceeds_caches(schedule::Kind kind, u64 vector_bytes, const schedule::Shape& shape);

}  // namespace weft::runtime
