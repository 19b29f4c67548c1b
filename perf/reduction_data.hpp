// The frame in which the families of data.hpp stand: a rule says what one part's input and the
// result are at one element; the loops over elements are here, once.
//
// A rule has: Stored, what an element is in memory; step, by how many parts the ranks move on from
// element to element; input(element, part, rank) and result(element). Lifetime: values. Threads:
// immutable after construction.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "perf/data.hpp"
#include "perf/random.hpp"

namespace weft::perf {

class ReductionData {
 public:
  virtual ~ReductionData() = default;
  virtual void fill(int rank, std::size_t first, std::size_t count, std::byte* to) const = 0;
  virtual std::size_t wrong(std::size_t first, std::size_t count,
                            const std::byte* results) const = 0;
};

// Each for the operators and the kinds of types it is named after.
std::unique_ptr<ReductionData> sum_data(const DataKey& key);
std::unique_ptr<ReductionData> product_data(const DataKey& key);
std::unique_ptr<ReductionData> bit_data(const DataKey& key);
std::unique_ptr<ReductionData> logical_data(const DataKey& key);
std::unique_ptr<ReductionData> extreme_data(const DataKey& key);

struct Element {
  std::uint64_t index, bits;
  // Bits of the element that are independent of `bits` and of those of any other number.
  std::uint64_t more(std::uint64_t number) const { return mixed(bits + (number + 1) * golden); }
};

// A step with which every rank has every part once in `ranks` elements, and one of the first
// `window` parts as soon as such a step allows.
constexpr int step_over(int window, int ranks) {
  int step = std::min(window, ranks - 1);
  while (step > 1 && std::gcd(step, ranks) != 1) --step;
  return std::max(step, 1);
}

template <class Rule>
class ReductionBy final : public ReductionData {
 public:
  using Stored = typename Rule::Stored;
  explicit ReductionBy(const DataKey& key)
      : hash_(stream_key(key.seed, 0)), ranks_(key.ranks), rule_(key, stream_key(~key.seed, 0)) {}

  void fill(int rank, std::size_t first, std::size_t count, std::byte* to) const override {
    const auto step = static_cast<std::uint64_t>(rule_.step);
    const auto ranks = static_cast<std::uint64_t>(ranks_);
    std::uint64_t part = (rank + hash_ % ranks + first % ranks * step) % ranks;
    for (std::size_t i = 0; i < count; ++i) {
      const Stored input = rule_.input(element(first + i), static_cast<int>(part), rank);
      std::memcpy(to + i * sizeof input, &input, sizeof input);
      part += step;
      if (part >= ranks) part %= ranks;
    }
  }

  std::size_t wrong(std::size_t first, std::size_t count, const std::byte* results) const override {
    std::size_t differing = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Stored result;
      std::memcpy(&result, results + i * sizeof result, sizeof result);
      differing += result == rule_.result(element(first + i)) ? 0 : 1;
    }
    return differing;
  }

 private:
  Element element(std::size_t index) const { return {index, bits_at(hash_, index)}; }

  std::uint64_t hash_;
  int ranks_;
  Rule rule_;
};

// One random number a part, by `number(bits)`.
template <class T, class Number>
std::vector<T> by_part(std::uint64_t hash, int parts, Number&& number) {
  std::vector<T> numbers;
  for (int part = 0; part < parts; ++part) numbers.push_back(number(bits_at(hash, part)));
  return numbers;
}

}  // namespace weft::perf
