// Adam on several ranks: who sums which gradients, and who updates which weights.
//
// Gradients are cut into buckets. The sum of a bucket starts as soon as the backward pass has
// filled it, and travels while the pass goes on.
//
// - Data parallel: all-reduce of each bucket; every rank updates all weights.
// - ZeRO-1: reduce-scatter of each bucket; a rank updates its block of each bucket, which is all it
//   keeps Adam's state for, and an all-gather brings the weights together again.
//   Rajbhandari et al.: ZeRO: memory optimizations toward training trillion parameter models (2020)
//
// Both average in the same order, so both give the same bits.
#pragma once
#include <vector>
#include <weft/weft.hpp>

// Kingma, Ba: Adam: a method for stochastic optimization (2015).
class Adam {
 public:
  explicit Adam(std::size_t weights) : mean_(weights), square_(weights) {}
  void step(std::span<float> weights, std::span<const float> gradients);

 private:
  float mean_power_ = 1, square_power_ = 1;  // of the rates of decay, by the number of steps
  std::vector<float> mean_, square_;
};

class Trainer {
 public:
  enum class Variant { data_parallel, zero1 };
  Trainer(weft::Communicator& comm, Variant variant, std::size_t parameters,
          std::size_t bucket_bytes);

  std::span<float> weights() { return std::span(weights_).first(parameters_); }
  std::span<float> gradients() { return std::span(gradients_).first(parameters_); }

  // Gradients from element `first` on are final: starts what can be started.
  void ready(std::size_t first);
  // All are: updates the weights by their average over ranks.
  void update();

 private:
  struct Bucket {
    std::size_t first;
    std::span<float> weights, gradients;  // the part that this rank updates
    Adam adam;
    weft::Operation sum, gather;
  };

  Variant variant_;
  std::size_t parameters_;
  std::vector<float> weights_, gradients_;  // with room for blocks of equal size
  std::vector<Bucket> buckets_;             // the last ones first, as they get ready
  std::size_t started_ = 0;
};
