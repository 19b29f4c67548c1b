#include "algorithms/table.hpp"

#include <algorithm>

namespace weft::algorithms {

namespace {

template <class Steps>
Phase by_kind(Kind kind, const Place& place) {
  return Steps(kind, place);
}
template <class Steps>
Phase one_kind(Kind, const Place& place) {
  return Steps(place);
}
u32 one_chunk(Kind, u32) { return 1; }
u32 two_chunks(Kind, u32) { return 2; }
u32 a_chunk_each(Kind, u32 positions) { return positions; }
u32 halving_chunks(Kind kind, u32 positions) {
  return kind == Kind::all_reduce ? 1u << log2_floor(positions) : positions;
}
u32 gather_chunks(Kind kind, u32 positions) { return kind == Kind::barrier ? 1 : positions; }
u32 binomial_chunks(Kind kind, u32 positions) { return schedule::has_blocks(kind) ? positions : 1; }
u32 direct_chunks(Kind kind, u32 positions) {
  return kind == Kind::all_to_all ? 2 * positions : positions;
}
u32 bruck_chunks(Kind, u32 positions) { return Bruck::chunks(positions); }

Phase make_binomial(Kind kind, const Place& place) {
  if (kind == Kind::reduce) return BinomialReduce(place);
  return schedule::has_blocks(kind) ? Phase(BinomialBlocks(kind, place)) : Binomial(kind, place);
}
Phase make_recursive_doubling(Kind kind, const Place& place) {
  if (schedule::is_scan(kind)) return RecursiveDoublingScan(kind, place);
  return RecursiveDoubling(place);
}
Phase make_one_shot(Kind kind, const Place& place) {
  return kind == Kind::reduce ? Phase(OneShotReduce(place)) : OneShot(place);
}
Phase make_two_shot(Kind kind, const Place& place) {
  return kind == Kind::reduce ? Phase(TwoShotReduce(place)) : TwoShot(kind, place);
}

constexpr PairList bruck_pairs{.cut = Bruck::cut, .at = Bruck::at};

constexpr u32 any_number = ~0u;
constexpr Kinds scattering{Kind::all_reduce, Kind::reduce_scatter, Kind::all_gather};

constexpr Algorithm rows[] = {
    {.name = "ring",
     .about = "Chunks go round a ring of neighbours, once to add up and once to spread.",
     .rounds = "2 (g - 1)",
     .bytes = "2 n (g - 1) / g",
     .source = "Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms, 2009",
     .kinds = scattering,
     .power_of_two = {},
     .canonical_to = 1,
     .fans = false,
     .chunks = a_chunk_each,
     .make = by_kind<Ring>},
    {.name = "recursive_doubling",
     .about = "Each exchanges all it has with the one at distance 1, 2, 4, ...",
     .rounds = "log2 g",
     .bytes = "n log2 g",
     .source = "Thakur, Rabenseifner and Gropp, Optimization of collective communication in MPICH, "
               "2005",
     .kinds = {Kind::all_reduce, Kind::scan, Kind::exscan},
     .power_of_two = {Kind::all_reduce},
     .canonical_to = any_number,
     .fans = false,
     .chunks = one_chunk,
     .make = make_recursive_doubling},
    {.name = "halving_doubling",
     .about = "Halves the vector while distances double, then doubles it back; binary blocks for "
              "other than 2^k.",
     .rounds = "2 log2 g; 2 more a binary block below the largest",
     .bytes = "2 n (g - 1) / g; up to 1.17 of it for other than 2^k",
     .source = "Rabenseifner, Optimization of collective reduction operations, 2004",
     .kinds = scattering,
     .power_of_two = {Kind::reduce_scatter, Kind::all_gather},
     .canonical_to = any_number,
     .fans = false,
     .chunks = halving_chunks,
     .make = by_kind<HalvingDoubling>},
    {.name = "double_tree",
     .about = "Two binary trees, each inner node of one a leaf of the other, carry half each.",
     .rounds = "2 log2 g",
     .bytes = "2 n",
     .source = "Sanders, Speck and Traeff, Two-tree algorithms for full bandwidth broadcast, "
               "reduction and scan, 2009",
     .kinds = {Kind::all_reduce, Kind::broadcast},
     .power_of_two = {},
     .canonical_to = 2,
     .fans = false,
     .chunks = two_chunks,
     .make = by_kind<DoubleTree>},
    {.name = "one_shot",
     .about = "Each sends all it has to all, and adds up all it hears.",
     .rounds = "1",
     .bytes = "n (g - 1)",
     .source = "the direct exchange; Kolmakov and Zhang, A generalization of the allreduce "
               "operation, 2020",
     .kinds = {Kind::all_reduce, Kind::reduce},
     .power_of_two = {},
     .canonical_to = any_number,
     .fans = true,
     .chunks = one_chunk,
     .make = make_one_shot},
    {.name = "two_shot",
     .about = "Each adds up one chunk from all, then sends the sum to all.",
     .rounds = "2",
     .bytes = "2 n (g - 1) / g",
     .source = "the direct exchange; Thakur, Rabenseifner and Gropp, 2005",
     .kinds = {Kind::all_reduce, Kind::reduce_scatter, Kind::all_gather, Kind::reduce},
     .power_of_two = {},
     .canonical_to = any_number,
     .fans = true,
     .chunks = a_chunk_each,
     .make = make_two_shot},
    {.name = "dissemination",
     .about = "Each sends to the one 1, 2, 4, ... further on, for any number of positions.",
     .rounds = "ceil(log2 g)",
     .bytes = "n (g - 1) / g",
     .source =
         "Hensgen, Finkel and Manber, Two algorithms for barrier synchronization, 1988; Bruck "
         "et al., 1997",
     .kinds = {Kind::all_gather, Kind::barrier},
     .power_of_two = {},
     .canonical_to = any_number,
     .fans = false,
     .chunks = gather_chunks,
     .make = by_kind<Dissemination>},
    {.name = "binomial",
     .about = "A binomial tree: up to rank 0 to add up, down from the root to spread.",
     .rounds = "ceil(log2 g) each way",
     .bytes = "n ceil(log2 g)",
     .source = "Thakur, Rabenseifner and Gropp, 2005",
     .kinds = {Kind::all_reduce, Kind::broadcast, Kind::reduce, Kind::gather, Kind::scatter},
     .power_of_two = {},
     .canonical_to = any_number,
     .fans = false,
     .chunks = binomial_chunks,
     .make = make_binomial},
    {.name = "scatter_all_gather",
     .about = "The root deals the vector out down a binomial tree, then the parts go round a ring.",
     .rounds = "ceil(log2 g) + g - 1",
     .bytes = "2 n (g - 1) / g",
     .source = "Barnett, Gupta, Payne, Shuler, van de Geijn and Watts, Interprocessor collective "
               "communication library, 1994",
     .kinds = {Kind::broadcast},
     .power_of_two = {},
     .canonical_to = any_number,
     .fans = false,
     .chunks = a_chunk_each,
     .make = one_kind<ScatterAllGather>},
    {.name = "chain",
     .about = "From neighbour to neighbour, from the root or to it; slices follow one another.",
     .rounds = "g - 1, overlapped by slices",
     .bytes = "n",
     .source = "Pjesivac-Grbovic et al., Performance analysis of MPI collective operations, 2007",
     .kinds = {Kind::broadcast, Kind::reduce},
     .power_of_two = {},
     .canonical_to = 2,
     .fans = false,
     .chunks = one_chunk,
     .make = by_kind<Chain>},
    {.name = "circulant",
     .about = "Halves what is left while distances halve, on a circle of any number of positions.",
     .rounds = "2 ceil(log2 g), half for a half",
     .bytes = "2 n (g - 1) / g",
     .source = "Traeff, Optimal, non-pipelined reduce-scatter and allreduce algorithms, 2024",
     .kinds = scattering,
     .power_of_two = {},
     .canonical_to = 2,
     .fans = false,
     .chunks = a_chunk_each,
     .make = by_kind<Circulant>},
    {.name = "swing",
     .about = "Halves the vector and doubles it back between positions that swing to and fro on a "
              "ring.",
     .rounds = "2 log2 g",
     .bytes = "2 n (g - 1) / g",
     .source =
         "De Sensi, Bonato, Saam and Hoefler, Swing: short-cutting rings for higher bandwidth "
         "allreduce, 2024",
     .kinds = {Kind::all_reduce},
     .power_of_two = {Kind::all_reduce},
     .canonical_to = 4,
     .fans = false,
     .chunks = a_chunk_each,
     .make = by_kind<Swing>},
    {.name = "pat",
     .about = "Doubles distances while the chunks given halve, so that few bytes go far; gathers "
              "backwards.",
     .rounds = "ceil(log2 g)",
     .bytes = "n (g - 1) / g",
     .source = "Jeaugey, PAT: a new algorithm for all-gather and reduce-scatter operations at "
               "scale, 2025",
     .kinds = {Kind::reduce_scatter, Kind::all_gather},
     .power_of_two = {},
     .canonical_to = 2,
     .fans = false,
     .chunks = a_chunk_each,
     .make = by_kind<Pat>},
    {.name = "direct",
     .about = "Every block goes straight from who has it to who wants it, all at once.",
     .rounds = "1",
     .bytes = "n (g - 1) / g",
     .source = "the direct exchange; Thakur, Rabenseifner and Gropp, 2005",
     .kinds = {Kind::gather, Kind::scatter, Kind::all_to_all},
     .power_of_two = {},
     .canonical_to = any_number,
     .fans = false,
     .chunks = direct_chunks,
     .make = by_kind<Direct>},
    {.name = "pairwise",
     .about = "In round k each sends to the one k further on, one message in flight each way.",
     .rounds = "g - 1",
     .bytes = "n (g - 1) / g",
     .source = "Thakur, Rabenseifner and Gropp, 2005",
     .kinds = {Kind::all_to_all},
     .power_of_two = {},
     .canonical_to = any_number,
     .fans = false,
     .chunks = direct_chunks,
     .make = one_kind<Pairwise>},
    {.name = "bruck",
     .about = "A block for the position d further on travels by the powers of two in d.",
     .rounds = "ceil(log2 g)",
     .bytes = "n / 2 ceil(log2 g)",
     .source = "Bruck, Ho, Kipnis, Upfal and Weathersby, Efficient algorithms for all-to-all "
               "communications in multiport message-passing systems, 1997",
     .kinds = {Kind::all_to_all},
     .power_of_two = {},
     .canonical_to = any_number,
     .fans = false,
     .chunks = bruck_chunks,
     .make = one_kind<Bruck>,
     .pairs = &bruck_pairs},
};

}  // namespace

std::span<const Algorithm> table() { return rows; }

const Algorithm* find(std::string_view name) {
  const auto row = std::find_if(std::begin(rows), std::end(rows),
                                [&](const Algorithm& a) { return a.name == name; });
  return row == std::end(rows) ? nullptr : row;
}

Status supports(const Algorithm& algorithm, Kind kind, u32 positions) {
  if (!algorithm.kinds.has(kind))
    return fail(Code::unsupported, "{} knows no {}", algorithm.name, schedule::name_of(kind));
  if (algorithm.power_of_two.has(kind) && !is_power_of_two(positions))
    return fail(Code::unsupported, "{} for {} needs a power of two of positions, not {}",
                algorithm.name, schedule::name_of(kind), positions);
  if (algorithm.fans && positions > 0xffff)
    return fail(Code::unsupported, "{} sends to all at once, which ends at 65535 positions, not {}",
                algorithm.name, positions);
  return {};
}

Phase make(const Algorithm& algorithm, Kind kind, const Place& place) {
  if (place.positions > 1) return algorithm.make(kind, place);
  Place alone = place;
  // Nothing to copy.
  if (kind == Kind::barrier || kind == Kind::exscan) alone.out = alone.in;
  return Alone(alone);
}

std::vector<std::string> names(Kind kind, const Shape& shape) {
  std::vector<std::string> names;
  auto add = [&](std::string name) {
    if (supports(name, kind, shape)) names.push_back(std::move(name));
  };
  // Most have not the kind at all: to ask each of them for a reason takes long.
  for (const Algorithm& row : rows)
    if (row.kinds.has(kind)) add(std::string(row.name));
  if (shape.nodes() < 2) return names;
  for (const Algorithm& intra : rows)
    for (const Algorithm& inter : rows)
      if (inter.kinds.has(kind)) add(fmt::format("{}/{}", intra.name, inter.name));
  return names;
}

Status supports(std::string_view algorithm, Kind kind, const Shape& shape) {
  WEFT_TRY(Plan::make(algorithm, kind, shape));
  return {};
}

Result<Emitted> emit(std::string_view algorithm, Kind kind, const Shape& shape, u32 root,
                     u32 rank) {
  WEFT_ASSIGN(const Plan plan, Plan::make(algorithm, kind, shape, root));
  if (rank >= plan.ranks())
    return fail(Code::invalid_argument, "no rank {}: there are {}", rank, plan.ranks());
  return Emitted{plan.emit(rank), plan.tiling(), plan.collective()};
}

Result<schedule::Schedule> emit_all(std::string_view algorithm, Kind kind, const Shape& shape,
                                    u32 root) {
  WEFT_ASSIGN(const Plan plan, Plan::make(algorithm, kind, shape, root));
  schedule::Schedule schedule{.collective = plan.collective(), .tiling = plan.tiling()};
  for (u32 rank = 0; rank < plan.ranks(); ++rank) schedule.programs.push_back(plan.emit(rank));
  return schedule;
}

}  // namespace weft::algorithms
