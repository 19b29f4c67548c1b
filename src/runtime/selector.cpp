#include "runtime/selector.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "base/config.hpp"

namespace weft::runtime {
namespace {

using schedule::Kind;

u64 log2_ceil(u64 n) { return u64(std::bit_width(n - 1)); }

struct Cost {
  u64 rounds = 0;
  u64 bytes = 0;    // that the busiest rank sends
  u64 reduced = 0;  // bytes that it reduces
};
constexpr u64 reduce_ps_per_byte = 60;

// The classical costs of the flat algorithms for n bytes on g positions (Thakur, Rabenseifner,
// Gropp 2005), cut into some slices. Nothing for one whose cost is not known: it is no candidate.
std::optional<Cost> cost_of(std::string_view name, Kind kind, u64 g, u64 n, u64 slices) {
  if (g == 1) return Cost{};
  const u64 rounds = log2_ceil(g);
  const u64 part = n - n / g;  // n (g - 1) / g
  switch (kind) {
    case Kind::barrier:
      return name == "dissemination" ? std::optional(Cost{rounds, rounds}) : std::nullopt;
    case Kind::broadcast:
      if (name == "binomial") return Cost{rounds, n * rounds};
      if (name == "scatter_all_gather") return Cost{rounds + g - 1, 2 * part};
      // The first slice goes the whole way, and the others follow it.
      if (name == "double_tree") return Cost{2 * rounds, n + rounds * (n / slices)};
      if (name == "chain") return Cost{g - 1, n + (g - 2) * (n / slices)};
      return std::nullopt;
    case Kind::reduce:
      if (name == "binomial") return Cost{rounds, n * rounds, n * rounds};
      if (name == "one_shot") return Cost{1, n * (g - 1), n * (g - 1)};
      if (name == "two_shot") return Cost{2, 2 * part, part};
      if (name == "chain")
        return Cost{g - 1, n + (g - 2) * (n / slices), n + (g - 2) * (n / slices)};
      return std::nullopt;
    case Kind::gather:
    case Kind::scatter:
      // Each message has a start of its own at the root: a fifth of a round, since they overlap.
      if (name == "direct") return Cost{1 + (g - 1) / 5, part};
      if (name == "binomial") return Cost{rounds, part + n / g * (rounds - 1)};
      return std::nullopt;
    case Kind::all_to_all:
      if (name == "direct") return Cost{1 + (g - 1) / 5, part};
      if (name == "pairwise") return Cost{g - 1, part};
      // Two copies more, beside the rounds.
      if (name == "bruck") return Cost{rounds, n / 2 * rounds + n};
      return std::nullopt;
    case Kind::scan:
    case Kind::exscan:
      if (name == "recursive_doubling") return Cost{rounds, n * rounds, 2 * n * rounds};
      return std::nullopt;
    case Kind::all_reduce:
    case Kind::reduce_scatter:
    case Kind::all_gather: break;
  }
  const u64 times = kind == Kind::all_reduce ? 2 : 1;
  const u64 reduced = kind == Kind::all_gather ? 0 : part;
  if (name == "one_shot") return Cost{1, n * (g - 1), n * (g - 1)};
  if (name == "two_shot") return Cost{times, times * part, reduced};
  if (name == "recursive_doubling") return Cost{rounds, n * rounds, n * rounds};
  if (name == "dissemination") return Cost{rounds, part, 0};
  if (name == "ring") return Cost{times * (g - 1), times * part, reduced};
  if (name == "binomial") return Cost{2 * rounds, 2 * n * rounds, n * rounds};
  if (name == "circulant" || name == "swing" || name == "pat")
    return Cost{times * rounds, times * part, reduced};
  if (name == "halving_doubling") {
    if (std::has_single_bit(g)) return Cost{times * rounds, times * part, reduced};
    // Binary blocks hand partial results over: at most 1.17 of the volume, two rounds more.
    return Cost{times * rounds + 2, times * (part + part / 8), reduced + reduced / 8};
  }
  return std::nullopt;
}

using Wide = unsigned __int128;  // a petabyte on a million ranks still fits

Wide picoseconds(Cost cost, Link link, u64 sharing) {
  return Wide{cost.rounds} * link.start_ns * 1000 + Wide{cost.bytes} * link.ps_per_byte * sharing +
         Wide{cost.reduced} * reduce_ps_per_byte;
}

// Large enough for full slots on every message, small enough for several in flight: between nodes
// so many that the three phases run side by side, in a node as few as keep results in the caches.
u64 slice_of(u64 vector_bytes, const World& world) {
  if (world.slice_bytes) return world.slice_bytes;
  const u64 full = u64{world.shape.ranks()} << 17;  // a slot for each rank
  const u64 slice = world.shape.nodes() > 1
                        ? std::clamp<u64>(full, u64{1} << 20, u64{16} << 20)
                        : std::max(full, std::clamp<u64>(std::bit_floor(vector_bytes / 8),
                                                         u64{512} << 10, u64{4} << 20));
  return vector_bytes <= slice + slice / 2 ? 0 : slice;
}

std::optional<Wide> estimate(const std::string& name, Kind kind, u64 n, const World& world) {
  const schedule::Shape& shape = world.shape;
  u64 largest = 1;
  for (const u32 size : shape.size) largest = std::max<u64>(largest, size);
  const u64 slice = slice_of(n, world), slices = slice && n ? (n + slice - 1) / slice : 1;
  const auto cost = [&](std::string_view flat, Kind part, u64 positions, u64 bytes) {
    return cost_of(flat, part, positions, bytes, slices);
  };
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) {
    const auto all = cost(name, kind, shape.ranks(), n);
    if (!all) return std::nullopt;
    // A flat algorithm between nodes sends over the slow link, which a node's ranks share.
    return shape.nodes() == 1 ? picoseconds(*all, world.in_node, 1)
                              : picoseconds(*all, world.between_nodes, largest);
  }
  const std::string intra = name.substr(0, slash), inter = name.substr(slash + 1);
  const u64 nodes = shape.nodes(), g = largest;
  // One rank of each node speaks for it, or each sends its shard of the vector between nodes.
  const bool leaders =
      kind == Kind::barrier || kind == Kind::gather || kind == Kind::scatter ||
      (kind == Kind::broadcast && cost(intra, kind, 2, n)) ||
      (kind == Kind::reduce && !algorithms::find(intra)->kinds.has(Kind::reduce_scatter));
  const bool is_whole = leaders || kind == Kind::all_to_all;
  const auto between = cost(inter, kind, nodes, is_whole ? n : n / g);
  std::optional<Cost> before = Cost{}, after = Cost{};
  switch (kind) {
    case Kind::all_reduce:
      before = cost(intra, Kind::reduce_scatter, g, n);
      after = cost(intra, Kind::all_gather, g, n);
      break;
    case Kind::reduce_scatter: before = cost(intra, kind, g, n); break;
    case Kind::all_gather: after = cost(intra, kind, g, n); break;
    case Kind::broadcast:
      if (!leaders) before = Cost{1, n - n / g};  // the root's scatter
      after = cost(intra, leaders ? kind : Kind::all_gather, g, n);
      break;
    case Kind::barrier: before = after = cost(intra, kind, g, n); break;
    case Kind::reduce:
      before = cost(intra, leaders ? kind : Kind::reduce_scatter, g, n);
      if (!leaders) after = Cost{1, n - n / g};  // to the root
      break;
    case Kind::gather:
    case Kind::scatter: before = cost(intra, kind, g, n / nodes); break;
    case Kind::all_to_all: before = cost(intra, kind, g, n); break;
    case Kind::scan:
    case Kind::exscan: return std::nullopt;
  }
  if (!between || !before || !after) return std::nullopt;
  return picoseconds(*before, world.in_node, 1) + picoseconds(*after, world.in_node, 1) +
         picoseconds(*between, world.between_nodes, leaders ? 1 : g);
}

std::string microseconds(Wide picoseconds) {
  return fmt::format("{}.{} us", u64(picoseconds / 1000000), u64(picoseconds / 100000 % 10));
}

}  // namespace

namespace {

// Does a schedule of order `has` give the bits that are promised? Another order than the promised
// one would make them depend on the size of the message, even a better one.
bool gives(schedule::Order has, Need need, schedule::Order promised) {
  if (need == Need::any) return true;
  if (need == Need::by_rank) return has == schedule::Order::canonical;
  return promised == schedule::Order::fast || has == promised;
}

struct Candidate {
  Wide time = ~Wide{0};
  std::string name;
};

}  // namespace

Result<Choice> select(Kind kind, u64 vector_bytes, Need need, const World& world) {
  const schedule::Shape& shape = world.shape;
  if (!schedule::reduces(kind)) need = Need::any;
  // Scans have no hierarchical form, whose order is that of the shape: theirs is canonical then.
  const schedule::Order promised = schedule::is_scan(kind) && world.order == schedule::Order::shape
                                       ? schedule::Order::canonical
                                       : world.order;
  const auto suits = [&](const std::string& name) {
    return gives(algorithms::order_of(name, kind, shape), need, promised);
  };
  std::string refusal;
  if (!world.forced.empty()) {
    const Status can = algorithms::supports(world.forced, kind, shape);
    if (can && suits(world.forced))
      return Choice{world.forced, slice_of(vector_bytes, world), "asked for"};
    refusal = "; " + world.forced + " was asked for but ";
    refusal += can ? fmt::format("its order is {}",
                                 schedule::name_of(algorithms::order_of(world.forced, kind, shape)))
                   : can.error().text;
  }
  Candidate best, second;
  for (std::string& name : algorithms::names(kind, shape)) {
    if (!suits(name)) continue;
    const auto time = estimate(name, kind, vector_bytes, world);
    if (!time) continue;
    Candidate candidate{*time, std::move(name)};
    if (candidate.time < best.time) std::swap(candidate, best);
    if (candidate.time < second.time) std::swap(candidate, second);
  }
  if (best.name.empty())
    return fail(Code::unsupported, "no schedule for {} on nodes {}", schedule::name_of(kind),
                shape.text());
  Choice choice{best.name, slice_of(vector_bytes, world), "the only one"};
  if (!second.name.empty())
    choice.why = fmt::format("estimated {}, next best {} {}", microseconds(best.time), second.name,
                             microseconds(second.time));
  choice.why += refusal;
  return choice;
}

// Is there a schedule of exactly this order for every reduction?
static bool is_kept(schedule::Order order, const World& world) {
  World trial = world;
  trial.forced.clear();
  trial.order = order;
  return std::all_of(
      std::begin(schedule::all_kinds), std::end(schedule::all_kinds),
      [&](Kind kind) { return !schedule::reduces(kind) || select(kind, 1, Need::sums, trial); });
}

Result<schedule::Order> settle_order(const std::string& asked, const World& world) {
  using schedule::Order;
  Order order = algorithms::natural_order(world.shape);
  if (asked == "canonical")
    order = Order::canonical;
  else if (asked == "fast")
    order = Order::fast;
  else if (asked != "auto" && asked != "shape")
    return fail(Code::invalid_argument, "{}={} is not auto, canonical, shape or fast",
                config::order.name, asked);
  // Nodes so uneven that no hierarchical schedule fits them.
  if (order == Order::shape && !is_kept(order, world)) {
    if (asked == "shape")
      return fail(Code::unsupported, "no schedule keeps {}=shape on nodes {}: take auto",
                  config::order.name, world.shape.text());
    order = Order::canonical;
  }
  std::optional<Order> kept;  // by the forced algorithm, in the worst of its reductions
  for (const Kind kind : schedule::all_kinds) {
    if (world.forced.empty() || !schedule::reduces(kind) || schedule::is_scan(kind) ||
        !algorithms::supports(world.forced, kind, world.shape))
      continue;
    const Order has = algorithms::order_of(world.forced, kind, world.shape);
    if (asked != "auto" && has > order)
      return fail(Code::invalid_argument,
                  "{}={} cannot be kept by {}={}, whose {} on nodes {} has order {}: leave one of "
                  "them out",
                  config::order.name, asked, config::algorithm.name, world.forced,
                  schedule::name_of(kind), world.shape.text(), schedule::name_of(has));
    kept = std::max(kept.value_or(has), has);
  }
  return kept && asked != "fast" ? *kept : order;
}

}  // namespace weft::runtime
