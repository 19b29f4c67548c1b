#include "network.hpp"

#include <algorithm>
#include <cmath>

// Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014), splitmix64.
float Random::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return float(z >> 40) * 0x1p-23f - 1.0f;
}

Network::Network(std::vector<std::size_t> sizes, std::size_t batch)
    : sizes_(std::move(sizes)), first_{0}, batch_(batch) {
  for (std::size_t layer = 0; layer < layers(); ++layer)
    first_.push_back(first_.back() + (sizes_[layer] + 1) * sizes_[layer + 1]);
  for (const std::size_t size : sizes_) {
    values_.emplace_back(batch * size);
    errors_.emplace_back(batch * size);
  }
}

void Network::initialise(std::span<float> weights, Random random) const {
  std::ranges::fill(weights, 0.0f);  // biases stay that
  for (std::size_t layer = 0; layer < layers(); ++layer) {
    const float scale = std::sqrt(6.0f / float(sizes_[layer] + sizes_[layer + 1]));
    for (std::size_t i = 0; i < sizes_[layer] * sizes_[layer + 1]; ++i)
      weights[first_[layer] + i] = scale * random.next();
  }
}

double Network::forward(std::span<const float> weights, std::span<const float> inputs,
                        std::span<const float> targets) {
  std::ranges::copy(inputs, values_[0].begin());
  for (std::size_t layer = 0; layer < layers(); ++layer) {
    const std::size_t in = sizes_[layer], out = sizes_[layer + 1];
    const float* const rows = weights.data() + first_[layer];
    const float* const biases = rows + in * out;
    const bool is_hidden = layer + 1 < layers();
    for (std::size_t sample = 0; sample < batch_; ++sample)
      for (std::size_t o = 0; o < out; ++o) {
        const float* const x = values_[layer].data() + sample * in;
        float partial[8] = {};  // sizes are multiples of 8; eight sums at once are quicker
        for (std::size_t i = 0; i < in; i += 8)
          for (std::size_t j = 0; j < 8; ++j) partial[j] += rows[o * in + i + j] * x[i + j];
        float sum = biases[o];
        for (const float part : partial) sum += part;
        values_[layer + 1][sample * out + o] = is_hidden ? std::max(sum, 0.0f) : sum;
      }
  }
  double loss = 0;
  const float scale = 2.0f / float(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const float difference = values_.back()[i] - targets[i];
    loss += double(difference) * difference;
    errors_.back()[i] = scale * difference;
  }
  return loss / double(targets.size());
}

void Network::backward(std::span<const float> weights, std::span<float> gradients,
                       const std::function<void(std::size_t)>& ready) {
  for (std::size_t layer = layers(); layer-- > 0;) {
    const std::size_t in = sizes_[layer], out = sizes_[layer + 1];
    const float* const rows = weights.data() + first_[layer];
    float* const slopes = gradients.data() + first_[layer];
    const std::vector<float>&x = values_[layer], &error = errors_[layer + 1];
    std::vector<float>& input_error = errors_[layer];
    std::ranges::fill(input_error, 0.0f);
    for (std::size_t o = out; o-- > 0;) {  // biases: the last of the layer
      float sum = 0;
      for (std::size_t sample = 0; sample < batch_; ++sample) sum += error[sample * out + o];
      slopes[in * out + o] = sum;
    }
    for (std::size_t o = out; o-- > 0;) {
      float* const slope = slopes + o * in;
      std::fill_n(slope, in, 0.0f);
      for (std::size_t sample = 0; sample < batch_; ++sample) {
        const float e = error[sample * out + o];
        for (std::size_t i = 0; i < in; ++i) {
          slope[i] += e * x[sample * in + i];
          input_error[sample * in + i] += e * rows[o * in + i];
        }
      }
      ready(first_[layer] + o * in);
    }
    // Where the activation was cut off at 0, nothing flows back.
    for (std::size_t i = 0; i < input_error.size(); ++i)
      if (layer > 0 && x[i] <= 0) input_error[i] = 0;
  }
}
