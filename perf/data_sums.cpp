// Sums and averages.
//
// Part j contributes base_i + spread_j, so that all together are p base_i + the sum of spreads.
//
// Integers wrap. base is even and spread odd, each over half the range of the type: no input is 0
// modulo 2^bits, so a rank left out or counted twice changes every sum. For averages inputs also
// stay 2 p away from 0, or a wrapped sum would not leave the p sums of one quotient; that needs
// p < 2^bits / 4, and above it nothing that adds in the type can tell.
//
// Floats. Inputs are integers times an element's power of two, and the sum of any of them has no
// more bits than the type: exact in every order. Of a type with P bits not more than 2^(P-2) parts
// (e5m2: 2, e4m3: 4, bfloat16: 64, half: 512) contribute 1 to 3 or more units, the others 0; ranks
// move on by a window an element. Averages have one bit less, so that quotients of different sums
// are rounded differently. Sums kept in float32 get two parts more, plus and minus 2^(P+1) units,
// next to which a narrow sum would lose the rest. A premultiplied sum is one of 2 (base + spread),
// from inputs that the rank's scalar makes that.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "perf/formats.hpp"
#include "perf/reduction_data.hpp"

namespace weft::perf {
namespace {

bool is_average(const DataKey& key) { return key.op == weft_avg || key.op == weft_avg_wide; }

// Twice `value` once rank's scalar has multiplied it.
template <class T>
T premultiplied(T value, int rank) {
  return static_cast<T>(rank % 2 == 0 ? 2 * value : value);
}

template <class Format>
struct IntegerSum {
  using Stored = typename Format::Code;
  using Value = typename Format::Value;
  static constexpr int step = 1;

  IntegerSum(const DataKey& key, std::uint64_t hash)
      : ranks(key.ranks), average(is_average(key)), premul(key.premultiplied) {
    half = std::uint64_t{1} << (Format::bits - 1);
    std::uint64_t away = 0;
    if (average && 2 * ranks + 4 <= half) away = 2 * ranks;
    half -= away;
    spread = by_part<std::uint64_t>(
        hash, key.ranks, [&](std::uint64_t bits) { return away + (scaled(bits, half) | 1); });
    total = std::accumulate(spread.begin(), spread.end(), std::uint64_t{0});
  }

  std::uint64_t base(const Element& element) const {
    return scaled(element.bits, half) & ~std::uint64_t{1};
  }
  Stored input(const Element& element, int part, int rank) const {
    const std::uint64_t value = base(element) + spread[part];
    return static_cast<Stored>(premul ? premultiplied(value, rank) : value);
  }
  Stored result(const Element& element) const {
    std::uint64_t sum = ranks * base(element) + total;
    if (premul) sum *= 2;
    if (!average) return static_cast<Stored>(sum);
    if constexpr (std::is_signed_v<Value>)
      return static_cast<Stored>(static_cast<Value>(sum) / static_cast<std::int64_t>(ranks));
    else
      return static_cast<Stored>(static_cast<Value>(sum) / ranks);
  }

  std::uint64_t ranks, half, total;
  bool average, premul;
  std::vector<std::uint64_t> spread;
};

template <class Format>
struct FloatSum {
  using Stored = typename Format::Code;
  static constexpr int precision = Format::precision;

  FloatSum(const DataKey& key, std::uint64_t hash)
      : ranks(key.ranks), average(is_average(key)), premul(key.premultiplied) {
    const bool wide = key.op == weft_sum_wide || key.op == weft_avg_wide;
    cancels = wide && precision < Float32::precision && ranks >= 3;
    const int bits = average ? precision - 1 : precision;
    const std::int64_t room = std::int64_t{1} << std::max(bits - 2, 0);
    window = static_cast<int>(std::min<std::int64_t>(cancels ? ranks - 2 : ranks, room));
    range = (std::int64_t{1} << (bits - 1)) / window;
    step = step_over(window + (cancels ? 2 : 0), ranks);
    spread = by_part<std::int64_t>(hash, window, [&](std::uint64_t random) {
      return 1 + static_cast<std::int64_t>(scaled(random, range - 1));
    });
    spread[0] = range;  // no other part's: whoever takes another rank's place is found there
    total = std::accumulate(spread.begin(), spread.end(), std::int64_t{0});

    // Below the largest number whatever is left out; of a quotient, no bit below the least one.
    most_unit = std::min(Format::largest - (cancels ? precision + 1 : bits) - (premul ? 1 : 0), 7);
    least_unit = Format::least;
    if (average) least_unit = Format::least_normal + std::bit_width(unsigned(ranks));
    least_unit = std::clamp(least_unit, std::min(-16, most_unit), most_unit);
  }

  std::int64_t base(const Element& element) const {
    return static_cast<std::int64_t>(scaled(element.bits, range));
  }
  // The element's power of two and sign.
  double unit(const Element& element) const {
    const std::uint64_t more = element.more(0);
    const int exponent =
        least_unit + static_cast<int>(scaled(more << 1, most_unit - least_unit + 1));
    const auto size = std::bit_cast<double>(std::uint64_t(1023 + exponent) << 52);
    return more >> 63 ? -size : size;
  }
  Stored input(const Element& element, int part, int rank) const {
    std::int64_t units = 0;
    if (part < window)
      units = base(element) + spread[part];
    else if (cancels && part < window + 2)
      units = (part == window ? 1 : -1) * (std::int64_t{1} << (precision + 1));
    if (units == 0) return 0;
    if (premul) units = premultiplied(units, rank);
    return Format::code(static_cast<double>(units) * unit(element));
  }
  Stored result(const Element& element) const {
    std::int64_t units = window * base(element) + total;
    if (premul) units *= 2;
    double sum = static_cast<double>(units);
    if (average) sum /= ranks;
    return Format::code(sum * unit(element));
  }

  int ranks, step, window, least_unit, most_unit;
  std::int64_t range, total;
  bool average, premul, cancels;
  std::vector<std::int64_t> spread;
};

}  // namespace

std::unique_ptr<ReductionData> sum_data(const DataKey& key) {
  using Made = std::unique_ptr<ReductionData>;
  if (kind_of(key.type) == Kind::integer)
    return with_integer(key.type, [&]<class Format>(Format) -> Made {
      return std::make_unique<ReductionBy<IntegerSum<Format>>>(key);
    });
  return with_float(key.type, [&]<class Format>(Format) -> Made {
    return std::make_unique<ReductionBy<FloatSum<Format>>>(key);
  });
}

}  // namespace weft::perf
