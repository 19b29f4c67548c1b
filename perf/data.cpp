#include "perf/data.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

namespace weft::perf {
namespace {

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): a bijection with full avalanche.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t stream_key(std::uint64_t seed, std::uint64_t stream) {
  return mixed(mixed(seed + 0x9e3779b97f4a7c15u) + stream);
}

constexpr std::uint64_t bits_at(std::uint64_t key, std::uint64_t index) {
  return mixed(key + (index + 1) * 0x9e3779b97f4a7c15u);
}

template <class T>
class ExactInputs {
 public:
  explicit ExactInputs(const DataKey& key)
      : key_(stream_key(key.seed, 0)), ranks_(key.ranks), spread_(key.ranks) {
    // Twice the range times the ranks stays within a float's 24 bits; base and spread together
    // within a byte, where the sum wraps and min and max do not.
    range_ = sizeof(T) == 1 ? 128 : std::clamp<std::int64_t>((1 << 23) / ranks_, 1, 2048);
    for (int r = 0; r < ranks_; ++r) {
      spread_[r] = 1 + static_cast<std::int64_t>(bits_at(~key_, r) % range_);
      total_ += spread_[r];
    }
    least_ = *std::ranges::min_element(spread_);
    most_ = *std::ranges::max_element(spread_);
  }

  T of_rank(int rank, std::size_t index) const {
    const Element element(bits_at(key_, index), range_);
    std::int64_t turned = rank + static_cast<std::int64_t>((element.turn * ranks_) >> 32);
    if (turned >= ranks_) turned -= ranks_;
    return element.value(element.base + spread_[turned]);
  }

  T reduced(weft_op_t op, std::size_t index) const {
    const Element element(bits_at(key_, index), range_);
    if (op == weft_sum) return element.value(ranks_ * element.base + total_);
    const bool wants_least = (op == weft_min) != element.negative;
    return element.value(element.base + (wants_least ? least_ : most_));
  }

 private:
  struct Element {
    Element(std::uint64_t bits, std::int64_t range)
        : base(static_cast<std::int64_t>(((bits >> 40) * range) >> 24)),
          turn(bits & 0xffffffffu),
          negative(std::is_signed_v<T> && (bits >> 32 & 1)),
          scale(static_cast<int>(bits >> 33 & 7)) {}
    T value(std::int64_t magnitude) const {
      const std::int64_t number = negative ? -magnitude : magnitude;
      if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(number) / static_cast<T>(1 << scale);
      else
        return static_cast<T>(number);
    }
    std::int64_t base;
    std::uint64_t turn;  // 32 bits
    bool negative;
    int scale;
  };

  std::uint64_t key_;
  std::int64_t ranks_, range_ = 0, total_ = 0, least_ = 0, most_ = 0;
  std::vector<std::int64_t> spread_;
};

template <class T>
T order_input(std::uint64_t bits) {
  const double mantissa = 1 + static_cast<double>(bits >> 12) * 0x1p-52;
  const double value = std::ldexp(mantissa, static_cast<int>(bits & 15) - 8);
  return static_cast<T>(bits & 16 ? -value : value);
}

template <class T>
T raw(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T, class Value>
void fill(std::size_t count, std::byte* to, Value&& value) {
  for (std::size_t i = 0; i < count; ++i) {
    const T element = value(i);
    std::memcpy(to + i * sizeof element, &element, sizeof element);
  }
}

template <class T, class Value>
std::size_t wrong(std::size_t count, const std::byte* results, Value&& value) {
  std::size_t differing = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const T expected = value(i);
    differing += std::memcmp(results + i * sizeof expected, &expected, sizeof expected) != 0;
  }
  return differing;
}

// Calls work with a value of the C++ type of the key.
template <class Work>
auto with_type(weft_datatype_t type, Work&& work) {
  switch (type) {
    case weft_uint8: return work(std::uint8_t{});
    case weft_int32: return work(std::int32_t{});
    case weft_float32: return work(float{});
    default: break;
  }
  return work(double{});
}

}  // namespace

void fill_contribution(const DataKey& key, int rank, std::size_t first, std::size_t count,
                       std::byte* to) {
  with_type(key.type, [&](auto sample) {
    using T = decltype(sample);
    if (key.inputs == Inputs::order && std::is_floating_point_v<T>) {
      const std::uint64_t stream = stream_key(key.seed, 1 + rank);
      fill<T>(count, to, [&](std::size_t i) { return order_input<T>(bits_at(stream, first + i)); });
      return;
    }
    const ExactInputs<T> inputs(key);
    fill<T>(count, to, [&](std::size_t i) { return inputs.of_rank(rank, first + i); });
  });
}

std::size_t wrong_reductions(const DataKey& key, std::size_t first, std::size_t count,
                             const std::byte* results) {
  return with_type(key.type, [&](auto sample) {
    using T = decltype(sample);
    const ExactInputs<T> inputs(key);
    return wrong<T>(count, results,
                    [&](std::size_t i) { return inputs.reduced(key.op, first + i); });
  });
}

void fill_stream(const DataKey& key, int stream, std::size_t count, std::byte* to) {
  const std::uint64_t hash = stream_key(key.seed, 1 + stream);
  with_type(key.type, [&](auto sample) {
    using T = decltype(sample);
    fill<T>(count, to, [&](std::size_t i) { return raw<T>(bits_at(hash, i)); });
  });
}

std::size_t wrong_in_stream(const DataKey& key, int stream, std::size_t count,
                            const std::byte* results) {
  const std::uint64_t hash = stream_key(key.seed, 1 + stream);
  return with_type(key.type, [&](auto sample) {
    using T = decltype(sample);
    return wrong<T>(count, results, [&](std::size_t i) { return raw<T>(bits_at(hash, i)); });
  });
}

}  // namespace weft::perf
