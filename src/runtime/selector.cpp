#include "runtime/selector.hpp"

#include <bit>
#include <optional>

namespace weft::runtime {
namespace {

using schedule::Kind;

u64 log2_ceil(u64 n) { return u64(std::bit_width(n - 1)); }

struct Cost {
  u64 rounds = 0;
  u64 bytes = 0;  // that the busiest rank sends
};

// The classical costs of the flat algorithms for n bytes on g positions (Thakur, Rabenseifner,
// Gropp 2005). Nothing for one whose cost is not known: it is no candidate.
std::optional<Cost> cost_of(std::string_view name, Kind kind, u64 g, u64 n) {
  if (g == 1) return Cost{};
  const u64 part = n - n / g;  // n (g - 1) / g
  const bool both = kind == Kind::all_reduce;
  if (name == "one_shot") return Cost{1, n * (g - 1)};
  if (name == "two_shot") return both ? Cost{2, 2 * part} : Cost{1, part};
  if (name == "recursive_doubling") return Cost{log2_ceil(g), n * log2_ceil(g)};
  if (name == "ring") return both ? Cost{2 * (g - 1), 2 * part} : Cost{g - 1, part};
  if (name == "binomial")
    return Cost{log2_ceil(g) * (both ? 2 : 1), n * log2_ceil(g) * (both ? 2 : 1)};
  if (name == "dissemination") return Cost{log2_ceil(g), n * log2_ceil(g)};
  if (name == "halving_doubling") {
    const u64 bytes = both ? 2 * part : part;
    // Binary blocks hand partial results over: 1.01 to 1.17 of the volume, up to two rounds more.
    if (std::has_single_bit(g)) return Cost{log2_ceil(g) * (both ? 2 : 1), bytes};
    return Cost{log2_ceil(g) * (both ? 2 : 1) + 2, bytes + bytes / 8};
  }
  return std::nullopt;
}

u64 picoseconds(Cost cost, Link link, u64 sharing) {
  return cost.rounds * link.start_ns * 1000 + cost.bytes * link.ps_per_byte * sharing;
}

std::optional<u64> estimate(const std::string& name, Kind kind, u64 n, const World& world) {
  const schedule::Shape& shape = world.shape;
  u64 largest = 1;
  for (const u32 size : shape.size) largest = std::max<u64>(largest, size);
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) {
    const auto cost = cost_of(name, kind, shape.ranks(), n);
    if (!cost) return std::nullopt;
    // A flat algorithm between nodes sends over the slow link, which a node's ranks share.
    return shape.nodes() == 1 ? picoseconds(*cost, world.in_node, 1)
                              : picoseconds(*cost, world.between_nodes, largest);
  }
  const std::string intra = name.substr(0, slash), inter = name.substr(slash + 1);
  const bool rooted = kind == Kind::broadcast || kind == Kind::barrier;
  const auto between = cost_of(inter, kind, shape.nodes(), rooted ? n : n / largest);
  std::optional<Cost> before, after;
  switch (kind) {
    case Kind::all_reduce:
      before = cost_of(intra, Kind::reduce_scatter, largest, n);
      after = cost_of(intra, Kind::all_gather, largest, n);
      break;
    case Kind::reduce_scatter: before = cost_of(intra, kind, largest, n), after = Cost{}; break;
    case Kind::all_gather: before = Cost{}, after = cost_of(intra, kind, largest, n); break;
    case Kind::broadcast: before = Cost{}, after = cost_of(intra, kind, largest, n); break;
    case Kind::barrier: before = after = cost_of(intra, kind, largest, n); break;
  }
  if (!between || !before || !after) return std::nullopt;
  return picoseconds(*before, world.in_node, 1) + picoseconds(*after, world.in_node, 1) +
         picoseconds(*between, world.between_nodes, rooted ? 1 : largest);
}

// Large enough for full slots on every message, small enough for several in flight.
u64 slice_of(u64 vector_bytes, const World& world) {
  if (world.slice_bytes) return world.slice_bytes;
  constexpr u64 least = u64{1} << 20, most = u64{16} << 20;
  const u64 slice = std::clamp<u64>(u64{world.shape.ranks()} << 18, least, most);
  return vector_bytes <= slice + slice / 2 ? 0 : slice;
}

}  // namespace

Result<Choice> select(Kind kind, u64 vector_bytes, const World& world) {
  const schedule::Shape& shape = world.shape;
  if (!world.forced.empty() && algorithms::supports(world.forced, kind, shape))
    return Choice{world.forced, slice_of(vector_bytes, world), "asked for"};
  Choice best;
  u64 least = ~u64{0};
  u32 candidates = 0;
  for (std::string& name : algorithms::names(kind, shape)) {
    if (schedule::reduces(kind) &&
        algorithms::order_of(name, kind, shape) == algorithms::Order::fast)
      continue;
    const auto time = estimate(name, kind, vector_bytes, world);
    if (!time) continue;
    ++candidates;
    if (*time >= least) continue;
    least = *time;
    best.algorithm = std::move(name);
  }
  if (!candidates)
    return fail(Code::unsupported, "no schedule for {} on nodes {}", schedule::name_of(kind),
                shape.text());
  best.slice_bytes = slice_of(vector_bytes, world);
  best.why = fmt::format("least estimated time of {} candidates, {}.{:03} us", candidates,
                         least / 1000000, least / 1000 % 1000);
  if (!world.forced.empty())
    best.why += fmt::format("; {} was asked for but: {}", world.forced,
                            algorithms::supports(world.forced, kind, shape).error().text);
  return best;
}

}  // namespace weft::runtime
