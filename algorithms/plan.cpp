#include "algorithms/plan.hpp"

#include <algorithm>

#include "algorithms/table.hpp"

namespace weft::algorithms {

namespace {

// Lanes and ports are 8 bits wide, and the last lane number means "none".
constexpr u32 most_lanes = 255, most_ports = 256;

Status check(const Shape& shape, u32 root) {
  if (shape.size.empty() || shape.rails == 0)
    return fail(Code::invalid_argument,
                "a shape needs at least one node and one rail, not {} and {}", shape.nodes(),
                shape.rails);
  if (std::count(shape.size.begin(), shape.size.end(), 0u))
    return fail(Code::invalid_argument, "shape {}: a node without ranks", shape.text());
  const u32 ranks = shape.ranks();
  if (root >= ranks)
    return fail(Code::invalid_argument, "root {} is no rank: there are {}", root, ranks);
  if (shape.order.empty()) return {};
  std::vector<bool> seen(ranks);
  for (u32 rank : shape.order)
    if (rank < ranks) seen[rank] = true;
  if (shape.order.size() != ranks || std::count(seen.begin(), seen.end(), false))
    return fail(Code::invalid_argument,
                "shape {}: its order of {} seats is no permutation of {} ranks", shape.text(),
                shape.order.size(), ranks);
  return {};
}

// Does one rank a node speak for it? Else each passes its shards on.
bool by_leaders(const Algorithm& intra, Kind kind) {
  switch (kind) {
    case Kind::barrier:
    case Kind::gather:
    case Kind::scatter: return true;
    case Kind::broadcast: return !intra.kinds.has(Kind::all_gather);
    case Kind::reduce: return !intra.kinds.has(Kind::reduce_scatter);
    default: return false;
  }
}

// What INTRA must be able to do; the rest is always the same.
Status check_phases(const Algorithm& intra, const Algorithm& inter, Kind kind, const Shape& shape) {
  if (schedule::is_scan(kind))
    return fail(Code::unsupported, "{} has no hierarchical form: use {}", schedule::name_of(kind),
                intra.name);
  if (kind == Kind::all_to_all) {
    for (const Algorithm* phase : {&intra, &inter}) {
      WEFT_TRY(supports(*phase, kind, 1));
      if (phase->pairs)
        return fail(Code::unsupported, "{} for all_to_all cannot be a phase of another",
                    phase->name);
    }
    if (std::count(shape.size.begin(), shape.size.end(), shape.size[0]) == shape.nodes()) return {};
    return fail(Code::unsupported,
                "{}/{} for all_to_all needs nodes of one size, and the shape is {}: use a flat one",
                intra.name, inter.name, shape.text());
  }
  if (by_leaders(intra, kind)) return supports(intra, kind, 1);
  if (schedule::reduces(kind)) WEFT_TRY(supports(intra, Kind::reduce_scatter, 1));
  if (kind == Kind::all_reduce || kind == Kind::all_gather || kind == Kind::broadcast)
    WEFT_TRY(supports(intra, Kind::all_gather, 1));
  return {};
}

tl::unexpected<Error> no_such(std::string_view algorithm) {
  std::string known;
  for (const Algorithm& row : table())
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  return fail(Code::invalid_argument,
              "no algorithm '{}': there are {}, and pairs INTRA/INTER of them for several nodes",
              algorithm, known);
}

}  // namespace

Result<Plan> Plan::make(std::string_view algorithm, Kind kind, const Shape& shape, u32 root) {
  WEFT_TRY(check(shape, root));
  const std::size_t slash = algorithm.find('/');
  const Algorithm* intra = find(algorithm.substr(0, slash));
  const bool hierarchical = slash != std::string_view::npos;
  const Algorithm* inter = hierarchical ? find(algorithm.substr(slash + 1)) : nullptr;
  if (!intra || (hierarchical && !inter)) return no_such(algorithm);
  if (!hierarchical) {
    WEFT_TRY(supports(*intra, kind, shape.ranks()));
    return Plan(*intra, nullptr, kind, shape, root);
  }
  if (shape.nodes() < 2)
    return fail(Code::unsupported, "{} is for two nodes or more, and the shape is {}: use {}",
                algorithm, shape.text(), intra->name);
  WEFT_TRY(check_phases(*intra, *inter, kind, shape));
  WEFT_TRY(supports(*inter, kind, shape.nodes()));
  Plan plan(*intra, inter, kind, shape, root);
  WEFT_TRY(plan.fits());
  return plan;
}

Plan::Plan(const Algorithm& intra, const Algorithm* inter, Kind kind, const Shape& shape, u32 root)
    : intra_(&intra), inter_(inter), kind_(kind), shape_(shape), root_(root), base_{0} {
  for (u32 size : shape_.size) base_.push_back(base_.back() + size);
  seat_.resize(shape_.order.size());
  for (u32 seat = 0; seat < seat_.size(); ++seat) seat_[shape_.order[seat]] = seat;
  if (kind == Kind::all_to_all) {
    form_ = inter ? Form::pairs : Form::flat;
    shards_ = sub_ = ranks();
    return;
  }
  if (!inter) {
    shards_ = intra.chunks(kind, ranks());
    return;
  }
  form_ = by_leaders(intra, kind) ? Form::leaders : Form::shards;
  if (form_ == Form::leaders && has_blocks()) {
    shards_ = ranks();
    return;
  }
  sub_ = inter->chunks(kind, nodes());
  const u32 most = *std::max_element(shape_.size.begin(), shape_.size.end());
  // Of broadcast, reduce and barrier, what takes some number of chunks takes any larger one.
  if (form_ == Form::leaders) {
    sub_ = std::max(sub_, intra.chunks(kind, most));
    return;
  }
  shards_ = (most + shape_.rails - 1) / shape_.rails * shape_.rails;
}

Status Plan::fits() const {
  if (form_ == Form::pairs && shape_.size[0] + 2 > most_ports)
    return fail(Code::unsupported, "shape {}: {} ranks a node take {} ports of {}; use a flat one",
                shape_.text(), shape_.size[0], shape_.size[0] + 2, most_ports);
  if (form_ != Form::shards) return {};
  const u32 least = *std::min_element(shape_.size.begin(), shape_.size.end());
  const u32 owned = (shards_ + least - 1) / least;  // shards of the rank that has most
  if (roles * (owned + 2) > most_lanes)
    return fail(Code::unsupported,
                "shape {} with {} rails: a rank of the smallest node would own {} of {} shards, "
                "which takes {} lanes of {}; use a flat algorithm, or split the largest node",
                shape_.text(), shape_.rails, owned, shards_, roles * (owned + 2), most_lanes);
  if (shards_ + 2 > most_ports)
    return fail(Code::unsupported,
                "shape {} with {} rails: {} shards take {} ports of {}; use a flat algorithm, or "
                "split the largest node",
                shape_.text(), shape_.rails, shards_, shards_ + 2, most_ports);
  return {};
}

u32 Plan::first_shard(u32 node, u32 local) const {
  const u64 size = shape_.size[node];
  return u32((u64(local) * shards_ + size - 1) / size);
}

u32 Plan::owner_seat(u32 node, u32 shard) const {
  return base_[node] + u32(u64(shard) * shape_.size[node] / shards_);
}

u32 Plan::node_of(u32 seat) const {
  return u32(std::upper_bound(base_.begin(), base_.end(), seat) - base_.begin()) - 1;
}

u32 Plan::leader_seat(u32 node) const {
  const u32 root = seat_of(root_);
  return schedule::has_root(kind_) && node_of(root) == node ? root : base_[node];
}

const Algorithm& Plan::in_node(Kind phase, u32 positions) const {
  return supports(*intra_, phase, positions) ? *intra_ : *find("two_shot");
}

u32 Plan::rail_of(u8 port) const {
  const u32 tracks = form_ == Form::shards ? shards_ : form_ == Form::pairs ? shape_.size[0] : 0;
  if (port == 0 || port > tracks) return 0;
  return (port - 1u) * shape_.rails / tracks;
}

schedule::Tiling Plan::tiling() const {
  schedule::Tiling tiling{.shards = shards_, .sub = sub_};
  tiling.blocks = has_blocks();
  tiling.pairs = kind_ == Kind::all_to_all;
  if (form_ == Form::leaders && tiling.blocks) tiling.owner = shape_.order;
  if (!tiling.blocks || form_ != Form::shards) return tiling;
  tiling.parts.assign(ranks(), 0);
  for (u32 shard = 0; shard < shards_; ++shard)
    for (u32 node = 0; node < nodes(); ++node) {
      const u32 rank = shape_.rank_at(owner_seat(node, shard));
      tiling.owner.push_back(rank);
      tiling.part.push_back(tiling.parts[rank]++);
    }
  return tiling;
}

schedule::Collective Plan::collective() const {
  return {.kind = kind_,
          .root = root_,
          .owner = tiling().owner,
          .ranks = kind_ == Kind::all_to_all ? ranks() : 0};
}

schedule::Program Plan::emit(u32 rank) const {
  Generator generator = this->generator(rank);
  schedule::Program program{.rank = rank, .ranks = ranks(), .atoms = atoms()};
  program.lanes = generator.lanes();
  for (u32 i = 0; i < generator.levels(); ++i) {
    const LazyLevel lazy = generator.level(i);
    schedule::Level level{.me = lazy.me()};
    for (u32 q = 0; q < lazy.positions(); ++q) level.rank.push_back(lazy.rank(q));
    for (u32 c = 0; c <= lazy.chunks(); ++c) level.cut.push_back(lazy.cut(c));
    if (lazy.is_listed())
      for (u32 entry = 0; entry < level.cut.back(); ++entry) level.atom.push_back(lazy.atom(entry));
    program.levels.push_back(std::move(level));
  }
  for (Step step; generator.next(step);) {
    for (const Span* span : {&step.target, &step.source, &step.second})
      if (span->valid() && span->buffer >= schedule::first_plane)
        program.planes = std::max<u32>(program.planes, span->buffer - schedule::first_plane + 1);
    program.steps.push_back(step);
  }
  return program;
}

}  // namespace weft::algorithms
