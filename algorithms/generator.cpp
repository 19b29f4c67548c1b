// One rank's walk: which parts it has, where each stands, and what orders them.
//
// Shards form (all-reduce, reduce-scatter, all-gather, broadcast of many bytes):
//   first   in the node, port 0: reduce-scatter, or the root's scatter
//   shards  between nodes, one part a shard c that the rank owns, port 1 + c; joins at the head of
//           its lanes wait for the first phase
//   last    in the node, port C + 1: all-gather; its sends wait for joins of all owned shards, its
//           receives for the sends of the first phase, since they overwrite what those read
// Leaders form (barrier, gather, scatter; broadcast and reduce of few bytes): in the node, among
// leaders, in the node, as far as there is something to do.
// Pairs form (all-to-all): in the node to the rank that has the place of the receiver in his; what
// a node has for each of these goes between nodes as one message; beside it what stays in the node.
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
      has_last_ =
          !alone && plan.kind_ != Kind::reduce_scatter && (plan.kind_ != Kind::reduce || of_root);
    } else if (plan.form_ == Plan::Form::pairs) {
      shard_count_ = 1;
      has_first_ = !alone;
      has_last_ = true;
    } else {
      const bool is_up = plan.kind_ == Kind::gather || plan.kind_ == Kind::reduce;
      const bool is_down = plan.kind_ == Kind::broadcast || plan.kind_ == Kind::scatter;
      shard_count_ = leads_;
      has_first_ = !alone && !is_down;
      has_last_ = !is_up && (!alone || (is_down && is_root()));
    }
  }
  walk_ = part(0);
}

bool Generator::is_root() const { return rank_ == plan_->root_; }

schedule::Buffer Generator::partials() const { return is_root() ? output : first_plane; }

u32 Generator::parts() const {
  if (plan_->form_ == Plan::Form::flat) return 1;
  return u32(has_first_) + shard_count_ + u32(has_last_);
}

Generator::Part Generator::part(u32 i) const {
  if (plan_->form_ == Plan::Form::flat) {
    Place place{.positions = plan_->ranks(), .me = rank_, .chunks = plan_->atoms()};
    if (schedule::has_root(plan_->kind_)) place.root = plan_->root_;
    switch (plan_->kind_) {  // partial results, where the output is none of this rank's or a window
      case Kind::reduce:
      case Kind::gather:
      case Kind::scatter:
      case Kind::reduce_scatter:
        place.work = place.plane, place.plane = Buffer(first_plane + 1);
        break;
      default: break;
    }
    return {.phase = make(*plan_->intra_, plan_->kind_, place)};
  }
  if (plan_->form_ == Plan::Form::pairs) return rails_part(i);
  const bool shards = plan_->form_ == Plan::Form::shards;
  if (has_first_ && i == 0) return first_part();
  i -= u32(has_first_);
  if (i < shard_count_) return shards ? shard_part(i) : between_leaders();
  if (!shards) return leader_to_node();
  return plan_->kind_ == Kind::reduce ? gather_in_node() : last_part();
}

Place Generator::place_in_node(u32 part) const {
  const bool shards = plan_->form_ == Plan::Form::shards;
  Place place{.positions = node_size_, .me = local_};
  place.chunks = shards || plan_->has_blocks() ? node_size_ : plan_->atoms();
  if (plan_->form_ == Plan::Form::pairs) place.chunks = 2 * node_size_;
  place.lane = Lane(roles * part);
  const u32 root_seat = shards ? plan_->seat_of(plan_->root_) : plan_->leader_seat(node_);
  if (plan_->node_of(root_seat) == node_) place.root = root_seat - plan_->base_[node_];
  return place;
}

Place Generator::place_between(u32 t) const {
  const u32 part = u32(has_first_) + t;
  const u32 nodes = plan_->nodes();
  Place place{.positions = nodes, .me = node_, .chunks = plan_->sub_};
  if (plan_->form_ == Plan::Form::leaders && plan_->has_blocks()) place.chunks = nodes;
  if (plan_->form_ == Plan::Form::pairs) place.chunks = 2 * nodes;
  if (schedule::has_root(plan_->kind_)) place.root = plan_->node_of(plan_->seat_of(plan_->root_));
  place.lane = Lane(roles * part), place.level = u8(1 + t), place.port = u8(1 + first_shard_ + t);
  return place;
}

Generator::Part Generator::first_part() const {
  if (plan_->form_ == Plan::Form::pairs) return rails_part(0);
  Place place = place_in_node(0);
  if (plan_->form_ == Plan::Form::leaders) {
    if (plan_->kind_ != Kind::barrier) place.work = first_plane, place.out = partials();
    if (plan_->kind_ == Kind::reduce) place.plane = Buffer(first_plane + 1);
    return {.phase = make(*plan_->intra_, plan_->kind_, place)};
  }
  if (plan_->kind_ == Kind::broadcast) {
    if (is_root()) place.out = input;  // its own shards are read there
    return {.phase = Direct(Kind::scatter, place)};
  }
  if (plan_->kind_ != Kind::all_reduce) place.work = place.out = first_plane;
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
    case Kind::reduce:
      place.in = has_first_ ? first_plane : input;
      place.work = first_plane, place.out = partials();
      place.plane = Buffer(first_plane + 1);
      break;
    case Kind::broadcast: place.in = is_root() ? input : output; break;
    default: break;
  }
  return joined_after_first(place);
}

Generator::Part Generator::joined_after_first(Place place) const {
  Part part;
  const Phase phase = make(*plan_->inter_, plan_->kind_, place);
  if (has_first_ && first_part().phase.done().valid())
    for (Role role : {sending, receiving}) {
      if (role == receiving && plan_->kind_ == Kind::gather) continue;  // beside what the node has
      place.before[role] = part.joins[role] = phase.size(role) ? 1 : 0;
    }
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

// The sum is at the root's node: its ranks bring their parts to the root. In place these land where
// the first phase sent from.
Generator::Part Generator::gather_in_node() const {
  Place place = place_in_node(u32(has_first_) + shard_count_);
  Part part;
  part.joins[local] = shard_count_;
  part.joins[receiving] = is_root() ? 1 : 0;
  for (Role role : {receiving, local}) place.before[role] = part.joins[role];
  place.port = u8(1 + plan_->shards_), place.in = partials();
  place.ready = {place.lane_of(local), part.joins[local]};
  part.phase = Direct(Kind::gather, place);
  return part;
}

Generator::Part Generator::rails_part(u32 i) const {
  Part part;
  const bool is_first = has_first_ && i == 0;
  if (i == u32(has_first_)) {
    Place place = place_between(0);
    place.port = u8(1 + local_), place.own = false;
    if (has_first_) {
      place.in = first_plane;
      place.before[sending] = part.joins[sending] = 1;
    }
    part.phase = make(*plan_->inter_, Kind::all_to_all, place);
    return part;
  }
  Place place = place_in_node(i);
  if (is_first) place.out = first_plane;
  if (!is_first) place.port = u8(1 + node_size_), place.level = 2;
  if (node_size_ == 1) place.chunks = 1;  // the own block
  part.phase = make(*plan_->intra_, Kind::all_to_all, place);
  return part;
}

// The root's copy to its output is left to the phase in its node.
Generator::Part Generator::between_leaders() const {
  Place place = place_between(0);
  const Buffer gathered = has_first_ ? partials() : input;
  switch (plan_->kind_) {
    case Kind::broadcast: place.in = place.out = is_root() ? input : output; break;
    case Kind::reduce:
    case Kind::gather: place.in = gathered, place.work = first_plane, place.out = partials(); break;
    case Kind::scatter:
      place.work = first_plane;
      place.out = is_root() ? input : node_size_ == 1 ? output : first_plane;
      break;
    default: break;
  }
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
  if (plan_->kind_ == Kind::scatter) {
    place.port = 2, place.work = first_plane;
    if (!is_root()) place.in = first_plane;
    return {.phase = make(*plan_->intra_, Kind::scatter, place)};
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
