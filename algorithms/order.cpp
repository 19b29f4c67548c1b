// Which order of operands an algorithm keeps on a shape.
#include <algorithm>

#include "algorithms/table.hpp"

namespace weft::algorithms {

namespace {

// Is [a, b) an interval that the canonical tree over p ranks could hold as a partial result?
bool is_legal(u32 a, u32 b, u32 p) {
  const u32 k = 1u << log2_ceil(b - a);
  return a % k == 0 && (b - a == k || b == p);
}

// Are all partial results of C over the items [a, b) legal, item i covering ranks [cut(i),
// cut(i + 1))?
template <class Cut>
bool all_legal(u32 a, u32 b, u32 p, const Cut& cut) {
  if (!is_legal(cut(a), cut(b), p)) return false;
  if (b - a == 1) return true;
  const u32 middle = a + (1u << (log2_ceil(b - a) - 1));
  return all_legal(a, middle, p, cut) && all_legal(middle, b, p, cut);
}

bool shape_is_canonical(const Shape& shape) {
  if (!std::is_sorted(shape.order.begin(), shape.order.end())) return false;
  const u32 ranks = shape.ranks();
  std::vector<u32> base{0};
  for (u32 size : shape.size) base.push_back(base.back() + size);
  if (!all_legal(0, shape.nodes(), ranks, [&](u32 node) { return base[node]; })) return false;
  for (u32 node = 0; node < shape.nodes(); ++node)
    if (!all_legal(base[node], base[node + 1], ranks, [](u32 rank) { return rank; })) return false;
  return true;
}

}  // namespace

Order Plan::order() const {
  if (!schedule::reduces(kind_)) return Order::canonical;
  if (!inter_) return ranks() <= intra_->canonical_to ? Order::canonical : Order::fast;
  for (u32 size : shape_.size) {
    const bool whole = form_ == Form::leaders;
    const Algorithm& inside = whole ? *intra_ : in_node(Kind::reduce_scatter, size);
    if (size > inside.canonical_to) return Order::fast;
  }
  if (nodes() > inter_->canonical_to) return Order::fast;
  return shape_is_canonical(shape_) ? Order::canonical : Order::shape;
}

Order natural_order(const Shape& shape) {
  return shape_is_canonical(shape) ? Order::canonical : Order::shape;
}

Order order_of(std::string_view algorithm, Kind kind, const Shape& shape) {
  const auto plan = Plan::make(algorithm, kind, shape);
  WEFT_ASSERT(plan.has_value());  // supports() is the caller's to ask
  return plan->order();
}

}  // namespace weft::algorithms
