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
  const double p = shape.ranks(), nodes = shape.nodes();
  const double g = *std::max_element(shape.size.begin(), shape.size.end());
  const double port = double(machine.intra.bandwidth.bytes_per_second);
  const double rails = double(machine.inter.bandwidth.bytes_per_second) * shape.rails;
  if (p == 1 || kind == Kind::barrier) return 0;
  constexpr double no_limit = std::numeric_limits<double>::infinity();
  // Inside the node and between nodes, where there is such a way at all.
  const auto least = [&](double inside, double between) {
    return std::min(g > 1 ? inside : no_limit, nodes > 1 ? between : no_limit);
  };
  switch (kind) {
    case Kind::broadcast:
    case Kind::reduce: return least(port * g / (g - 1), rails);
    case Kind::gather:
    case Kind::scatter: return least(port * (p - 1) / (g - 1), rails * (p - 1) / (p - g));
    case Kind::all_to_all: return least(port * (p - 1) / (g - 1), rails * (p - 1) / (g * (p - g)));
    case Kind::scan:
    case Kind::exscan: return least(port, rails);
    default: return least(port * g / (g - 1), rails * nodes / (nodes - 1)) * (p - 1) / p;
  }
}

const char* ceiling_formula(Kind kind) {
  switch (kind) {
    case Kind::broadcast:
    case Kind::reduce: return "min(B_v G/(G-1), R B_r)";
    case Kind::gather:
    case Kind::scatter: return "min(B_v (p-1)/(G-1), R B_r (p-1)/(p-G))";
    case Kind::all_to_all: return "min(B_v (p-1)/(G-1), R B_r (p-1)/(G (p-G)))";
    case Kind::scan:
    case Kind::exscan: return "min(B_v, R B_r)";
    default: return "(p-1)/p min(B_v G/(G-1), R B_r N/(N-1))";
  }
}

}  // namespace weft::simulate
