// A small multilayer perceptron in float32, forward and backward in plain loops.
//
// All parameters lie in one vector and all gradients in another, layer by layer, so that the
// exchange of gradients can cut them as it likes. The backward pass fills the gradients from the
// end to the beginning and says how far it has come. Every loop has one fixed order, so the same
// parameters and samples give the same bits.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

// Numbers in [-1, 1), the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  float next();

 private:
  std::uint64_t state_;
};

class Network {
 public:
  // sizes: of the input, the hidden layers and the output. batch: samples of one step.
  Network(std::vector<std::size_t> sizes, std::size_t batch);

  std::size_t parameters() const { return first_.back(); }
  // Fills `weights`, of parameters() elements, with where training starts.
  void initialise(std::span<float> weights, Random random) const;

  // Mean squared error of a batch; inputs and targets hold one sample after the other.
  double forward(std::span<const float> weights, std::span<const float> inputs,
                 std::span<const float> targets);
  // Gradients of that error, after forward. From time to time it calls `ready(first)`: gradients
  // from element `first` on are final.
  void backward(std::span<const float> weights, std::span<float> gradients,
                const std::function<void(std::size_t first)>& ready);

 private:
  std::size_t layers() const { return sizes_.size() - 1; }

  std::vector<std::size_t> sizes_;
  std::vector<std::size_t> first_;  // parameter of each layer: rows of weights, then biases
  std::size_t batch_;
  std::vector<std::vector<float>> values_;  // input and activations of each layer
  std::vector<std::vector<float>> errors_;  // derivative of the loss by each of them
};
