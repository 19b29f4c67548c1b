#include "verify/trees.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::verify {

namespace {
u64 hash(u32 left, u32 right) {
  const u64 h = (u64(left) << 32 | right) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}
}  // namespace

Trees::Trees(u32 ranks) : ranks_(ranks), words_((ranks + 63) / 64), bucket_(1024, nothing) {
  nodes_.assign(ranks + 1, {nothing, nothing});
  sets_.assign((ranks + 1) * words_, 0);
  for (u32 r = 0; r < ranks; ++r) sets_[leaf(r) * words_ + r / 64] = u64(1) << r % 64;
}

Trees::Tree Trees::combine(Tree left, Tree right) {
  u64 i = hash(left, right);
  for (;; ++i) {
    const Tree known = bucket_[i & (bucket_.size() - 1)];
    if (known == nothing) break;
    if (nodes_[known].left == left && nodes_[known].right == right) return known;
  }
  const auto a = set(left), b = set(right);
  for (std::size_t w = 0; w < words_; ++w)
    if (a[w] & b[w]) return nothing;
  const Tree made = Tree(nodes_.size());
  add({left, right});
  bucket_[i & (bucket_.size() - 1)] = made;
  if (nodes_.size() > bucket_.size() / 2) grow();
  return made;
}

void Trees::add(Node node) {
  nodes_.push_back(node);
  sets_.resize(sets_.size() + words_);
  for (std::size_t w = 0; w < words_; ++w)
    sets_[sets_.size() - words_ + w] = set(node.left)[w] | set(node.right)[w];
}

void Trees::grow() {
  bucket_.assign(2 * bucket_.size(), nothing);
  for (Tree t = ranks_ + 1; t < nodes_.size(); ++t) {
    u64 i = hash(nodes_[t].left, nodes_[t].right);
    while (bucket_[i & (bucket_.size() - 1)] != nothing) ++i;
    bucket_[i & (bucket_.size() - 1)] = t;
  }
}

bool Trees::complete(Tree tree, u32 ranks) const {
  const auto contributes = set(tree);
  for (u32 word = 0; word < words_; ++word) {
    const u32 below = ranks > 64 * word ? std::min(ranks - 64 * word, 64u) : 0;
    if (contributes[word] != (below == 64 ? ~u64{0} : (u64{1} << below) - 1)) return false;
  }
  return true;
}

std::vector<u32> Trees::odd(Tree tree, u32 ranks) const {
  std::vector<u32> missing, others;
  for (u32 r = 0; r < ranks_; ++r) {
    const bool contributes = set(tree)[r / 64] >> r % 64 & 1;
    if (contributes != (r < ranks)) (contributes ? others : missing).push_back(r);
  }
  return missing.empty() ? others : missing;
}

std::vector<u32> Trees::shared(Tree left, Tree right) const {
  std::vector<u32> ranks;
  for (u32 r = 0; r < ranks_; ++r)
    if (set(left)[r / 64] & set(right)[r / 64] & u64(1) << r % 64) ranks.push_back(r);
  return ranks;
}

std::string Trees::text(Tree tree) const {
  if (tree == nothing) return "nothing";
  if (nodes_[tree].left == nothing) return fmt::format("{}", tree - 1);
  std::string text =
      fmt::format("({}+{})", this->text(nodes_[tree].left), this->text(nodes_[tree].right));
  constexpr std::size_t most = 120;
  if (text.size() > most) text = text.substr(0, most) + "...";
  return text;
}

Trees::Tree Trees::canonical(u32 ranks) {
  if (ranks == 0) return nothing;
  return canonical_tree(
      0, ranks, [&](u32 r) { return leaf(r); }, [&](Tree l, Tree r) { return combine(l, r); });
}

Trees::Tree Trees::of_shape(const schedule::Shape& shape) {
  const auto op = [&](Tree l, Tree r) { return combine(l, r); };
  const auto seat = [&](u32 s) { return leaf(shape.rank_at(s)); };
  const auto node = [&](u32 n) {
    return canonical_tree(shape.base(n), shape.base(n) + shape.size[n], seat, op);
  };
  return canonical_tree(0, shape.nodes(), node, op);
}

}  // namespace weft::verify
