#include "algorithms/plan.hpp"

namespace weft::algorithms {

u32 LazyLevel::rank(u32 position) const {
  const Plan& plan = *plan_;
  switch (of_) {
    case Of::all: return position;
    case Of::node: return plan.shape_.rank_at(plan.base_[index_] + position);
    case Of::shard: return plan.shape_.rank_at(plan.owner_seat(position, index_));
    case Of::leaders: return plan.shape_.rank_at(plan.leader_seat(position));
  }
  return ~0u;
}

u32 LazyLevel::cut(u32 chunk) const {
  const Plan& plan = *plan_;
  const bool shards = plan.form_ == Plan::Form::shards;
  if (of_ == Of::node && shards) return plan.first_shard(index_, chunk) * plan.sub_;
  if (of_ == Of::shard) return index_ * plan.sub_ + chunk;
  return chunk;
}

u32 Generator::levels() const { return plan_->form_ == Plan::Form::flat ? 1 : 1 + shard_count_; }

LazyLevel Generator::level(u32 i) const {
  WEFT_ASSERT(i < levels());
  LazyLevel level;
  level.plan_ = plan_;
  if (plan_->form_ == Plan::Form::flat) {
    level.positions_ = plan_->ranks(), level.me_ = rank_, level.chunks_ = plan_->atoms();
    return level;
  }
  const bool shards = plan_->form_ == Plan::Form::shards;
  if (i == 0) {
    level.of_ = LazyLevel::Of::node, level.index_ = node_;
    level.positions_ = node_size_, level.me_ = local_;
    level.chunks_ = shards ? node_size_ : plan_->atoms();
    return level;
  }
  level.of_ = shards ? LazyLevel::Of::shard : LazyLevel::Of::leaders;
  level.index_ = first_shard_ + i - 1;
  level.positions_ = plan_->nodes(), level.me_ = node_;
  level.chunks_ = plan_->sub_;
  return level;
}

}  // namespace weft::algorithms
