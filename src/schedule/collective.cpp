#include "schedule/collective.hpp"

namespace weft::schedule {

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::all_reduce: return "all_reduce";
    case Kind::reduce_scatter: return "reduce_scatter";
    case Kind::all_gather: return "all_gather";
    case Kind::broadcast: return "broadcast";
    case Kind::barrier: return "barrier";
    case Kind::reduce: return "reduce";
    case Kind::gather: return "gather";
    case Kind::scatter: return "scatter";
    case Kind::all_to_all: return "all_to_all";
    case Kind::scan: return "scan";
    case Kind::exscan: return "exscan";
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

}  // namespace weft::schedule
