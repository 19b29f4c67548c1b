#include "algorithms/plan.hpp"
#include "algorithms/table.hpp"

namespace weft::algorithms {

u32 LazyLevel::rank(u32 position) const {
  const Plan& plan = *plan_;
  switch (of_) {
    case Of::all:
    case Of::pairs: return position;
    case Of::node:
    case Of::to_rails:
    case Of::node_pairs: return plan.shape_.rank_at(plan.base_[index_] + position);
    case Of::shard: return plan.shape_.rank_at(plan.owner_seat(position, index_));
    case Of::leaders: return plan.shape_.rank_at(plan.leader_seat(position));
    case Of::rail: return plan.shape_.rank_at(plan.base_[position] + local_);
  }
  return ~0u;
}

u32 LazyLevel::cut(u32 chunk) const {
  const Plan& plan = *plan_;
  const bool shards = plan.form_ == Plan::Form::shards;
  switch (of_) {
    case Of::node:
      if (shards) return plan.first_shard(index_, chunk) * plan.sub_;
      return plan.has_blocks() ? plan.base_[index_] + chunk : chunk;
    case Of::shard: return index_ * plan.sub_ + chunk;
    case Of::leaders: return plan.has_blocks() ? plan.base_[chunk] : chunk;
    case Of::pairs: {
      const PairList* const list = plan.intra_->pairs;
      return list ? list->cut(plan.ranks(), chunk) : chunk;
    }
    case Of::to_rails: return chunk * (plan.nodes() - 1);
    case Of::rail: return chunk * plan.shape_.size[0];
    case Of::all:
    case Of::node_pairs: return chunk;
  }
  return chunk;
}

Pair LazyLevel::pair(u32 entry) const {
  const Plan& plan = *plan_;
  const u32 g = plan.shape_.size[0], base = plan.base_[index_], me = base + local_;
  switch (of_) {
    case Of::to_rails: {  // to each other node, for the place that has the chunk's number
      const u32 others = plan.nodes() - 1, q = entry / others;
      const u32 node = entry % others + u32(entry % others >= index_);
      if (q < g) return {.to = plan.base_[node] + q, .from = me};
      return {.to = plan.base_[node] + local_, .from = base + q - g};
    }
    case Of::rail: {  // between my place here and the same there, for all of the node that sends
      const u32 node = entry / g;
      if (node < plan.nodes()) return {.to = plan.base_[node] + local_, .from = base + entry % g};
      return {.to = me, .from = plan.base_[node - plan.nodes()] + entry % g};
    }
    default:
      return entry < g ? Pair{.to = base + entry, .from = me}
                       : Pair{.to = me, .from = base + entry - g};
  }
}

u32 LazyLevel::atom(u32 entry) const {
  const Plan& plan = *plan_;
  const u32 p = plan.ranks();
  if (of_ == Of::pairs) {
    const PairList* const list = plan.intra_->pairs;
    const Pair ranks = list        ? list->at(p, me_, entry)
                       : entry < p ? Pair{.to = entry, .from = me_}
                                   : Pair{.to = me_, .from = entry - p};
    return ranks.to * p + ranks.from;
  }
  const Pair seats = pair(entry);
  return plan.shape_.rank_at(seats.to) * p + plan.shape_.rank_at(seats.from);
}

u32 Generator::levels() const {
  switch (plan_->form_) {
    case Plan::Form::flat: return 1;
    case Plan::Form::pairs: return 3;
    default: return 1 + shard_count_;
  }
}

LazyLevel Generator::level(u32 i) const {
  WEFT_ASSERT(i < levels());
  using Of = LazyLevel::Of;
  LazyLevel level;
  level.plan_ = plan_;
  level.local_ = local_;
  if (plan_->form_ == Plan::Form::flat) {
    const bool pairs = plan_->kind_ == Kind::all_to_all;
    level.of_ = pairs ? Of::pairs : Of::all;
    level.positions_ = plan_->ranks(), level.me_ = rank_;
    level.chunks_ = pairs ? plan_->intra_->chunks(plan_->kind_, plan_->ranks()) : plan_->atoms();
    return level;
  }
  const bool shards = plan_->form_ == Plan::Form::shards;
  const bool pairs = plan_->form_ == Plan::Form::pairs;
  if (i == 0 || (pairs && i == 2)) {
    level.of_ = !pairs ? Of::node : i == 0 ? Of::to_rails : Of::node_pairs;
    level.index_ = node_;
    level.positions_ = node_size_, level.me_ = local_;
    level.chunks_ = place_in_node(0).chunks;
    return level;
  }
  level.of_ = pairs ? Of::rail : shards ? Of::shard : Of::leaders;
  level.index_ = pairs ? node_ : first_shard_ + i - 1;
  level.positions_ = plan_->nodes(), level.me_ = node_;
  level.chunks_ = place_between(0).chunks;
  return level;
}

}  // namespace weft::algorithms
