// Any one generator, by value: what the table makes and a composition holds.
//
// A variant rather than a pointer, so that a rank's whole generator is plain data without heap.
#pragma once
#include <variant>

#include "algorithms/alone.hpp"
#include "algorithms/binomial.hpp"
#include "algorithms/binomial_blocks.hpp"
#include "algorithms/binomial_reduce.hpp"
#include "algorithms/bruck.hpp"
#include "algorithms/chain.hpp"
#include "algorithms/circulant.hpp"
#include "algorithms/direct.hpp"
#include "algorithms/dissemination.hpp"
#include "algorithms/double_tree.hpp"
#include "algorithms/halving_doubling.hpp"
#include "algorithms/one_shot.hpp"
#include "algorithms/pairwise.hpp"
#include "algorithms/pat.hpp"
#include "algorithms/recursive_doubling.hpp"
#include "algorithms/recursive_doubling_scan.hpp"
#include "algorithms/reduce_to_root.hpp"
#include "algorithms/ring.hpp"
#include "algorithms/scatter_all_gather.hpp"
#include "algorithms/swing.hpp"
#include "algorithms/two_shot.hpp"

namespace weft::algorithms {

class Phase {
 public:
  template <class Steps>
  Phase(Steps steps) : steps_(steps) {}

  bool next(Step& step) {
    return std::visit([&](auto& s) { return s.next(step); }, steps_);
  }
  u32 size(Lane role) const {
    return std::visit([&](const auto& s) { return s.size(role); }, steps_);
  }
  Step at(Role role, u32 i) const {
    return std::visit([&](const auto& s) { return s.at(role, i); }, steps_);
  }
  Done done() const {
    return std::visit([](const auto& s) { return s.done(); }, steps_);
  }
  const Place& place() const {
    return std::visit([](const auto& s) -> const Place& { return s.place(); }, steps_);
  }

 private:
  std::variant<Alone, Ring, RecursiveDoubling, HalvingDoubling, DoubleTree, OneShot, TwoShot,
               Dissemination, Binomial, BinomialReduce, BinomialBlocks, OneShotReduce,
               TwoShotReduce, RecursiveDoublingScan, Direct, Pairwise, Bruck, ScatterAllGather,
               Chain, Circulant, Swing, Pat>
      steps_;
};

}  // namespace weft::algorithms
