#include "cli/shapes.hpp"

#include <algorithm>
#include <set>

namespace weft::cli {
namespace {

using schedule::Shape;
using Sizes = std::vector<u32>;

void add_compositions(u32 ranks, std::set<Sizes>& sizes) {
  for (u32 bits = 0; bits < 1u << (ranks - 1); ++bits) {
    Sizes size{1};
    for (u32 i = 0; i + 1 < ranks; ++i)
      if (bits >> i & 1)
        size.push_back(1);
      else
        ++size.back();
    sizes.insert(size);
  }
}

void add_regular(u32 ranks, std::set<Sizes>& sizes) {
  for (u32 each = 1; each <= ranks; ++each) {
    Sizes size(ranks / each, each);
    const u32 rest = ranks % each;
    if (rest) size.push_back(rest);
    sizes.insert(size);  // the last node short
    if (rest) size.pop_back(), size.insert(size.begin(), rest);
    sizes.insert(size);  // the first
  }
  sizes.insert({1, ranks - 1});
  sizes.insert({ranks - 1, 1});
}

void add_random(u32 ranks, u32 many, std::set<Sizes>& sizes, std::mt19937_64& dice) {
  for (u32 i = 0; i < many; ++i) {
    Sizes size(1 + dice() % ranks, 1);
    for (u32 left = ranks - u32(size.size()); left; --left) ++size[dice() % size.size()];
    sizes.insert(size);
  }
}

bool is_even(const Sizes& size) {
  return std::all_of(size.begin(), size.end(), [&](u32 each) { return each == size[0]; });
}

// Seat i of node n is rank i * N + n.
Shape dealt_out(const Sizes& size) {
  Shape shape{.size = size};
  for (u32 node = 0; node < size.size(); ++node)
    for (u32 i = 0; i < size[node]; ++i) shape.order.push_back(i * u32(size.size()) + node);
  return shape;
}

}  // namespace

std::vector<Shape> shapes_of(u32 ranks, std::mt19937_64& dice) {
  std::set<Sizes> sizes;
  if (ranks <= most_ranks_in_full) {
    add_compositions(ranks, sizes);
  } else {
    add_regular(ranks, sizes);
    add_random(ranks, 20, sizes, dice);
  }
  std::vector<Shape> shapes;
  for (const Sizes& size : sizes) {
    shapes.push_back({.size = size});
    if (size.size() == 1) continue;
    const bool even = is_even(size);
    if (ranks <= 6 || (even && ranks <= 32))
      for (u32 rails : {2u, 3u}) shapes.push_back({.size = size, .rails = rails});
    if (even && ranks % 8 == 0) shapes.push_back({.size = size, .rails = 8});
    if (even && size[0] > 1) shapes.push_back(dealt_out(size));
  }
  return shapes;
}

}  // namespace weft::cli
