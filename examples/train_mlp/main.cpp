// Trains a small network on several ranks, each on samples of its own.
//
//   mpirun -n 4 ./train_mlp [--zero1] [--steps N] [--bucket-bytes N] [--seed N]
//
// Prints the loss and at the end a hash of the weights' bits. The hash does not depend on how the
// ranks are split into nodes, on how messages are cut, or on --zero1: see trainer.hpp.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "network.hpp"
#include "trainer.hpp"

namespace {

constexpr std::size_t inputs = 32, outputs = 8;
constexpr std::size_t batch = 16;  // samples of a rank in a step

struct Options {
  Trainer::Variant variant = Trainer::Variant::data_parallel;
  long steps = 100, bucket_bytes = 64 << 10, seed = 1;
};

// Fails on what it does not know.
bool parse(int count, char** words, Options& options) {
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    long* const number = word == "--steps"          ? &options.steps
                         : word == "--bucket-bytes" ? &options.bucket_bytes
                         : word == "--seed"         ? &options.seed
                                                    : nullptr;
    if (word == "--zero1") {
      options.variant = Trainer::Variant::zero1;
    } else if (number && i + 1 < count) {
      char* end = nullptr;
      *number = std::strtol(words[++i], &end, 10);
      if (*end != '\0' || *number < 1) return false;
    } else {
      return false;
    }
  }
  return true;
}

// Random inputs, and what a fixed random layer makes of them.
struct Samples {
  explicit Samples(std::uint64_t seed) : layer(inputs * outputs) {
    Random random(seed);
    for (float& value : layer) value = random.next() / 2;
  }
  // Samples number * batch to (number + 1) * batch - 1 of an endless row.
  void draw(std::uint64_t number) {
    Random random(~number);
    for (float& value : x) value = random.next();
    for (std::size_t sample = 0; sample < batch; ++sample)
      for (std::size_t o = 0; o < outputs; ++o) {
        float sum = 0;
        for (std::size_t i = 0; i < inputs; ++i)
          sum += layer[o * inputs + i] * x[sample * inputs + i];
        y[sample * outputs + o] = std::tanh(sum);
      }
  }
  std::vector<float> layer, x = std::vector<float>(batch * inputs),
                            y = std::vector<float>(batch * outputs);
};

// Fowler, Noll, Vo: FNV-1a of 64 bits.
std::uint64_t hash_of(std::span<const float> values) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::byte byte : std::as_bytes(values))
    hash = (hash ^ std::uint64_t(byte)) * 0x100000001b3u;
  return hash;
}

// The same weights on all ranks?
bool agree(weft::Communicator& comm, std::uint64_t hash) {
  std::vector<std::uint64_t> least{hash}, greatest{hash};
  comm.all_reduce(least, weft::Op::min);
  comm.all_reduce(greatest, weft::Op::max);
  return least == greatest;
}

int train(weft::Communicator& comm, const Options& options) {
  const bool speaks = comm.rank() == weft::Rank{0};
  const auto seed = std::uint64_t(options.seed);
  Network network({inputs, 256, 256, outputs}, batch);
  Trainer trainer(comm, options.variant, network.parameters(), std::size_t(options.bucket_bytes));
  if (speaks) network.initialise(trainer.weights(), Random(seed));
  comm.broadcast(trainer.weights(), weft::Rank{0});
  Samples samples(seed);
  for (long step = 0; step <= options.steps; ++step) {
    samples.draw(std::uint64_t(step) * comm.ranks() + comm.rank().index());
    std::vector<double> loss{network.forward(trainer.weights(), samples.x, samples.y)};
    if (step % 10 == 0 || step == options.steps) {
      comm.all_reduce(loss, weft::Op::avg);
      if (speaks) std::printf("step %4ld  loss %.6f\n", step, loss[0]);
    }
    if (step == options.steps) break;
    network.backward(trainer.weights(), trainer.gradients(),
                     [&](std::size_t first) { trainer.ready(first); });
    trainer.update();
  }
  const std::uint64_t hash = hash_of(trainer.weights());
  const bool same = agree(comm, hash);
  if (speaks && same) std::printf("weights %016llx\n", static_cast<unsigned long long>(hash));
  if (speaks && !same) std::fprintf(stderr, "the ranks have different weights\n");
  return same ? 0 : 1;
}

}  // namespace

int main(int count, char** words) try {
  Options options;
  if (!parse(count, words, options)) {
    std::fprintf(stderr, "usage: train_mlp [--zero1] [--steps N] [--bucket-bytes N] [--seed N]\n");
    return 2;
  }
  // A thread of the library drives, so that gradients travel while the backward pass computes.
  weft::Communicator comm =
      weft::Communicator::from_environment({.progress = weft::Progress::thread});
  return train(comm, options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
