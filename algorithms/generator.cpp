// One rank's walk: which parts it has, where each stands, and what orders them.
//
// Shards form (all-reduce, reduce-scatter, all-gather, broadcast of many bytes):
//   first   in the node, port 0: reduce-scatter, or the root's scatter
//   shards  between nodes, one part a shard c that the rank owns, port 1 + c; joins at the head of
//           its lanes wait for the first phase
//   last    in the node, port C + 1: all-gather; its sends wait for joins of all owned shards, its
//           receives for the sends of the first phase, since they overwrite what those read
// Leaders form (barrier; broadcast of few bytes): in the node, among leaders, in the node.
#include "algorithms/plan.hpp"
#include "algorithms/table.hpp"

namespace weft::algorithms {

using schedule::first_plane;
using schedule::input;
using schedule::output;

Generator Plan::generator(u32 rank) const {
  WEFT_ASSERT(rank < ranks());
  return Generator(*this, rank);
}

Generator::Generator(const Plan& plan, u32 rank) : plan_(&plan), rank_(rank) {
  if (plan.form_ != Plan::Form::flat) {
    const u32 seat = plan.seat_of(rank);
    node_ = plan.node_of(seat), local_ = seat - plan.base_[node_];
    node_size_ = plan.shape_.size[node_];
    const bool alone = node_size_ == 1;
    const bool of_root = plan.node_of(plan.seat_of(plan.root_)) == node_;
    leads_ = plan.leader_seat(node_) == seat;
    if (plan.form_ == Plan::Form::shards) {
      first_shard_ = plan.first_shard(node_, local_);
      shard_count_ = plan.first_shard(node_, local_ + 1) - first_shard_;
      has_first_ =
          !alone && (schedule::reduces(plan.kind_) || (plan.kind_ == Kind::broadcast && of_root));
      has_last_ = !alone && plan.kind_ != Kind::reduce_scatter;
    } else {
      shard_count_ = leads_;
      has_first_ = !alone && plan.kind_ == Kind::barrier;
      has_last_ = !alone || (plan.kind_ == Kind::broadcast && is_root());
    }
  }
  walk_ = part(0);
}

bool Generator::is_root() const { return rank_ == plan_->root_; }

u32 Generator::parts() const {
  if (plan_->form_ == Plan::Form::flat) return 1;
  return u32(has_first_) + shard_count_ + u32(has_last_);
}

Generator::Part Generator::part(u32 i) const {
  if (plan_->form_ == Plan::Form::flat) {
    Place place{.positions = plan_->ranks(), .me = rank_, .chunks = plan_->atoms()};
    if (plan_->kind_ == Kind::broadcast) place.root = plan_->root_;
    if (plan_->kind_ == Kind::reduce_scatter)
      place.work = place.plane, place.plane = Buffer(first_plane + 1);
    return {.phase = make(*plan_->intra_, plan_->kind_, place)};
  }
  const bool shards = plan_->form_ == Plan::Form::shards;
  if (has_first_ && i == 0) return first_part();
  i -= u32(has_first_);
  if (i < shard_count_) return shards ? shard_part(i) : between_leaders();
  return shards ? last_part() : leader_to_node();
}

Place Generator::place_in_node(u32 part) const {
  const bool shards = plan_->form_ == Plan::Form::shards;
  Place place{.positions = node_size_, .me = local_};
  place.chunks = shards ? node_size_ : plan_->atoms();
  place.lane = Lane(roles * part);
  const u32 root_seat = shards ? plan_->seat_of(plan_->root_) : plan_->leader_seat(node_);
  if (plan_->node_of(root_seat) == node_) place.root = root_seat - plan_->base_[node_];
  return place;
}

Place Generator::place_between(u32 t) const {
  const u32 part = u32(has_first_) + t;
  Place place{.positions = plan_->nodes(), .me = node_, .chunks = plan_->sub_};
  if (plan_->kind_ == Kind::broadcast) place.root = plan_->node_of(plan_->seat_of(plan_->root_));
  place.lane = Lane(roles * part), place.level = u8(1 + t), place.port = u8(1 + first_shard_ + t);
  return place;
}

Generator::Part Generator::first_part() const {
  Place place = place_in_node(0);
  switch (plan_->kind_) {
    case Kind::broadcast: return {.phase = Scatter(place)};
    case Kind::barrier: return {.phase = make(*plan_->intra_, Kind::barrier, place)};
    case Kind::reduce_scatter: place.work = place.out = first_plane; break;
    case Kind::all_reduce:
    case Kind::all_gather: break;
  }
  const Algorithm& algorithm = plan_->in_node(Kind::reduce_scatter, node_size_);
  return {.phase = make(algorithm, Kind::reduce_scatter, place)};
}

Generator::Part Generator::shard_part(u32 t) const {
  Place place = place_between(t);
  switch (plan_->kind_) {
    case Kind::all_reduce: place.in = has_first_ ? output : input; break;
    case Kind::reduce_scatter:
      place.in = has_first_ ? first_plane : input;
      place.work = first_plane;
      break;
    case Kind::broadcast: place.in = is_root() ? input : output; break;
    case Kind::all_gather:
    case Kind::barrier: break;
  }
  return joined_after_first(place);
}

Generator::Part Generator::joined_after_first(Place place) const {
  Part part;
  const Phase phase = make(*plan_->inter_, plan_->kind_, place);
  if (has_first_ && first_part().phase.done().valid())
    for (Role role : {sending, receiving})
      place.before[role] = part.joins[role] = phase.size(role) ? 1 : 0;
  part.phase = make(*plan_->inter_, plan_->kind_, place);
  return part;
}

Generator::Part Generator::last_part() const {
  Place place = place_in_node(u32(has_first_) + shard_count_);
  Part part;
  // A position that a broadcast starts from has its shards from the first phase, all at once.
  part.joins[local] = shard_part(0).phase.done().valid() ? shard_count_ : 1;
  part.joins[receiving] = has_first_ && first_part().phase.size(sending) ? 1 : 0;
  for (Role role : {sending, receiving, local}) place.before[role] = part.joins[role];
  place.port = u8(1 + plan_->shards_), place.in = output;
  place.ready = {place.lane_of(local), part.joins[local]};
  part.phase = make(plan_->in_node(Kind::all_gather, node_size_), Kind::all_gather, place);
  return part;
}

// The root's copy to its output is left to the phase in its node.
Generator::Part Generator::between_leaders() const {
  Place place = place_between(0);
  if (plan_->kind_ == Kind::broadcast) place.in = place.out = is_root() ? input : output;
  place.port = 1;
  place.plane = Buffer(first_plane + log2_ceil(node_size_));  // the first phase's stay as they are
  return joined_after_first(place);
}

Generator::Part Generator::leader_to_node() const {
  Place place = place_in_node(u32(has_first_) + shard_count_);
  if (leads_) place.ready = between_leaders().phase.done().first;
  if (plan_->kind_ == Kind::broadcast) {
    if (is_root()) {
      const Phase between = between_leaders().phase;
      place.freed = between.place().after(sending, between.size(sending));
    }
    place.in = is_root() ? input : output;
    return {.phase = make(*plan_->intra_, Kind::broadcast, place)};
  }
  // The release of a barrier: the leader's own token goes down, and lands in a plane.
  place.port = 2;
  place.out = leads_ ? input : Buffer(first_plane + log2_ceil(node_size_));
  return {.phase = Binomial(Kind::broadcast, place)};
}

Done Generator::join_waits(u32 part, Role role, u32 i) const {
  const Phase first = first_part().phase;
  if (part < u32(has_first_) + shard_count_) return first.done();
  if (role == local) {
    const Done done = shard_part(i).phase.done();
    return done.valid() ? done : first.done();
  }
  return {first.place().after(sending, first.size(sending)), {}};
}

Step Generator::join(u32 part, Role role, u32 i) const {
  const Done waits = join_waits(part, role, i);
  Step step;
  step.lane = Lane(roles * part + role);
  step.set_wait(0, waits.first), step.set_wait(1, waits.second);
  return step;
}

u32 Generator::size(Lane lane) const {
  if (lane / roles >= parts()) return 0;
  const Part p = part(lane / roles);
  return p.joins[lane % roles] + p.phase.size(lane % roles);
}

Step Generator::at(Lane lane, u32 i) const {
  const Part p = part(lane / roles);
  const Role role = Role(lane % roles);
  return i < p.joins[role] ? join(lane / roles, role, i) : p.phase.at(role, i - p.joins[role]);
}

u32 Generator::lanes() const {
  u32 lanes = roles * parts();
  while (lanes && !size(Lane(lanes - 1))) --lanes;
  return lanes;
}

bool Generator::next(Step& step) {
  while (current_ < parts()) {
    for (Role role : {local, sending, receiving})
      if (joined_[role] < walk_.joins[role]) {
        step = join(current_, role, joined_[role]++);
        return true;
      }
    if (walk_.phase.next(step)) return true;
    for (u32& joined : joined_) joined = 0;
    if (++current_ < parts()) walk_ = part(current_);
  }
  return false;
}

}  // namespace weft::algorithms
