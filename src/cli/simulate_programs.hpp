// The bridge from algorithms to the simulator: a plan's programs, as they run.
//
// Lifetime: holds its plan. Threads: immutable.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/plan.hpp"
#include "simulate/programs.hpp"

namespace weft::cli {

class PlanPrograms : public simulate::Programs {
 public:
  // Fails as Plan::make does.
  static Result<PlanPrograms> make(std::string_view algorithm, schedule::Kind kind,
                                   const schedule::Shape& shape, u32 root = 0) {
    WEFT_ASSIGN(auto plan, algorithms::Plan::make(algorithm, kind, shape, root));
    return PlanPrograms(std::move(plan), algorithm.find('/') != std::string_view::npos);
  }

  schedule::Program program(u32 rank) const override { return plan_.emit(rank); }
  schedule::Tiling tiling() const override { return plan_.tiling(); }
  schedule::Kind kind() const override { return plan_.kind(); }
  const schedule::Shape& shape() const override { return plan_.shape(); }
  u32 rail(u32 rank, u8 port) const override {
    return hierarchical_ ? plan_.rail_of(port) : rails_[rank];
  }
  const algorithms::Plan& plan() const { return plan_; }

 private:
  PlanPrograms(algorithms::Plan plan, bool hierarchical)
      : plan_(std::move(plan)),
        hierarchical_(hierarchical),
        rails_(simulate::nearest_rails(plan_.shape())) {}

  algorithms::Plan plan_;
  bool hierarchical_;
  std::vector<u32> rails_;
};

}  // namespace weft::cli
