#include "simulate/ceiling.hpp"

#include <algorithm>
#include <limits>

namespace weft::simulate {

using schedule::Kind;

double bus_factor(Kind kind, u32 ranks) {
  const double part = double(ranks - 1) / ranks;
  switch (kind) {
    case Kind::all_reduce: return 2 * part;
    case Kind::reduce_scatter:
    case Kind::all_gather:
    case Kind::gather:
    case Kind::scatter:
    case Kind::all_to_all: return part;
    case Kind::broadcast:
    case Kind::barrier:
    case Kind::reduce:
    case Kind::scan:
    case Kind::exscan: return 1;
  }
  return 1;
}

double algbw(u64 bytes, Time time) {
  return time ? double(bytes) * double(picoseconds_per_second) / double(time) : 0;
}

double ceiling(Kind kind, const schedule::Shape& shape, const Machine& machine) {
  const u32 ranks = shape.ranks(), nodes = shape.nodes();
  const double most = *std::max_element(shape.size.begin(), shape.size.end());
  if (ranks == 1 || kind == Kind::barrier) return 0;
  const bool rooted = kind == Kind::broadcast;
  double least = std::numeric_limits<double>::infinity();
  if (most > 1) least = double(machine.intra.bandwidth.bytes_per_second) * most / (most - 1);
  if (nodes > 1) {
    const double rails = double(machine.inter.bandwidth.bytes_per_second) * shape.rails;
    least = std::min(least, rooted ? rails : rails * nodes / (nodes - 1));
  }
  return rooted ? least : least * (ranks - 1) / ranks;
}

}  // namespace weft::simulate
