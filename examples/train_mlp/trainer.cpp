#include "trainer.hpp"

#include <algorithm>
#include <cmath>

void Adam::step(std::span<float> weights, std::span<const float> gradients) {
  constexpr float rate = 0.002f, mean_decay = 0.9f, square_decay = 0.999f, tiny = 1e-8f;
  mean_power_ *= mean_decay;
  square_power_ *= square_decay;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const float gradient = gradients[i];
    mean_[i] = mean_decay * mean_[i] + (1 - mean_decay) * gradient;
    square_[i] = square_decay * square_[i] + (1 - square_decay) * gradient * gradient;
    const float mean = mean_[i] / (1 - mean_power_);
    const float square = square_[i] / (1 - square_power_);
    weights[i] -= rate * mean / (std::sqrt(square) + tiny);
  }
}

Trainer::Trainer(weft::Communicator& comm, Variant variant, std::size_t parameters,
                 std::size_t bucket_bytes)
    : variant_(variant), parameters_(parameters) {
  const std::size_t ranks = comm.ranks();
  const auto round_up = [&](std::size_t count) { return (count + ranks - 1) / ranks * ranks; };
  weights_.resize(round_up(parameters));
  gradients_.resize(round_up(parameters));
  const std::size_t size = round_up(std::max<std::size_t>(bucket_bytes / sizeof(float), 1));
  for (std::size_t end = weights_.size(); end > 0;) {
    const std::size_t first = end - std::min(size, end);
    const auto weights = std::span(weights_).subspan(first, end - first);
    const auto gradients = std::span(gradients_).subspan(first, end - first);
    if (variant == Variant::data_parallel)
      buckets_.push_back({first,
                          weights,
                          gradients,
                          Adam(weights.size()),
                          comm.all_reduce_init(gradients, weft::Op::avg),
                          {}});
    else
      buckets_.push_back(
          {first, comm.block(weights), comm.block(gradients), Adam(weights.size() / ranks),
           comm.reduce_scatter_init(gradients, weft::Op::avg), comm.all_gather_init(weights)});
    end = first;
  }
}

void Trainer::ready(std::size_t first) {
  for (; started_ < buckets_.size() && buckets_[started_].first >= first; ++started_)
    buckets_[started_].sum.start();
}

void Trainer::update() {
  ready(0);
  started_ = 0;
  for (Bucket& bucket : buckets_) {
    bucket.sum.wait();
    bucket.adam.step(bucket.weights, bucket.gradients);
    if (variant_ == Variant::zero1) bucket.gather.start();
  }
  for (Bucket& bucket : buckets_) bucket.gather.wait();
}
