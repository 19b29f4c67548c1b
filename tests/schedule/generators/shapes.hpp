// The shapes that generators are tested on, and a walk over everything that can be made of them.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/table.hpp"

namespace weft::algorithms {

inline std::vector<Shape> awkward_shapes() {
  std::vector<Shape> shapes;
  for (u32 ranks : {1u, 2u, 3u, 5u, 7u, 8u, 11u, 16u}) shapes.push_back(Shape::flat(ranks));
  for (const char* text : {"1+1", "2+1", "1+2", "3x1", "2x2", "3+2", "1+7", "7+1", "4x4", "2x4+3",
                           "4+1+2x3", "5+1+4", "2x8+5"})
    for (u32 rails : {1u, 2u, 3u}) {
      Shape shape = *Shape::parse(text);
      shape.rails = rails;
      // Once with ranks that are not consecutive per node: downwards, from the middle on.
      for (u32 seat = 0; rails == 2 && seat < shape.ranks(); ++seat)
        shape.order.push_back(shape.ranks() - 1 - seat);
      std::rotate(shape.order.begin(), shape.order.begin() + i32(shape.order.size() / 3),
                  shape.order.end());
      shapes.push_back(shape);
    }
  return shapes;
}

inline std::string describe(const std::string& name, Kind kind, const Shape& shape, u32 root = 0) {
  return fmt::format("{} {} on {}{}, {} rails, root {}", schedule::name_of(kind), name,
                     shape.text(), shape.order.empty() ? "" : " permuted", shape.rails, root);
}

// Calls f(plan, description) for every algorithm, kind and shape, and a few roots.
template <class F>
void for_each_plan(F&& f) {
  for (const Shape& shape : awkward_shapes())
    for (Kind kind : schedule::all_kinds)
      for (const std::string& name : names(kind, shape))
        for (u32 root : {0u, shape.ranks() / 2, shape.ranks() - 1}) {
          if (root && !schedule::has_root(kind)) continue;
          const auto plan = Plan::make(name, kind, shape, root);
          f(*plan, describe(name, kind, shape, root));
        }
}

}  // namespace weft::algorithms
