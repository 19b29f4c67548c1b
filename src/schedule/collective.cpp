#include "schedule/collective.hpp"

namespace weft::schedule {

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::all_reduce: return "all_reduce";
    case Kind::reduce_scatter: return "reduce_scatter";
    case Kind::all_gather: return "all_gather";
    case Kind::broadcast: return "broadcast";
    case Kind::barrier: return "barrier";
  }
  return "?";
}

const char* name_of(Order order) {
  switch (order) {
    case Order::canonical: return "canonical";
    case Order::shape: return "shape";
    case Order::fast: return "fast";
  }
  return "?";
}

bool reduces(Kind kind) { return kind == Kind::all_reduce || kind == Kind::reduce_scatter; }

}  // namespace weft::schedule
