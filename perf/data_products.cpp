// Products.
//
// Integers wrap. Factors are odd, so none is 0 and each can be undone: modulo 2^bits a product over
// any order is one number. Part 0 is 3 modulo 4 times an element's number that is 1 modulo 4, the
// others are odd and not 1: leaving out any factor, or taking it twice, changes the product.
//
// Floats. All factors are negative: leaving one out, or taking it twice, turns the sign. Part 0 has
// the element's mantissa and exponent, parts 1 to 8 are -2 and -1/2 by turns, the rest -1, so that
// products of any of them are exact and no further than 2^4 from part 0 and from 1.
#include <algorithm>
#include <numeric>

#include "perf/formats.hpp"
#include "perf/reduction_data.hpp"

namespace weft::perf {
namespace {

template <class Format>
struct IntegerProduct {
  using Stored = typename Format::Code;
  static constexpr int step = 1;

  IntegerProduct(const DataKey& key, std::uint64_t hash)
      : factors(by_part<std::uint64_t>(hash, key.ranks, [](std::uint64_t bits) {
          return (bits | 1) == 1 || Stored(bits | 1) == 1 ? 3 : bits | 1;
        })) {
    factors[0] = bits_at(hash, 0) | 3;
    for (const std::uint64_t factor : factors) total *= factor;
  }
  std::uint64_t own(const Element& element) const { return (element.bits & ~std::uint64_t{3}) | 1; }
  Stored input(const Element& element, int part, int) const {
    return static_cast<Stored>(part == 0 ? factors[0] * own(element) : factors[part]);
  }
  Stored result(const Element& element) const { return static_cast<Stored>(total * own(element)); }

  std::vector<std::uint64_t> factors;
  std::uint64_t total = 1;
};

template <class Format>
struct FloatProduct {
  using Stored = typename Format::Code;
  static constexpr int mantissa = Format::mantissa;
  static constexpr int window = 9;
  static constexpr int least = std::max(Format::least_normal + 4, -16);
  static constexpr int most = std::min(Format::largest - 5, 16);

  FloatProduct(const DataKey& key, std::uint64_t)
      : step(step_over(window, key.ranks)), negative(key.ranks % 2 == 1) {
    for (int part = 1; part < std::min(window, key.ranks); ++part) tilt_of_all += tilt(part);
  }
  static int tilt(int part) { return part >= window ? 0 : part % 2 ? 1 : -1; }
  static Stored number(std::uint64_t fraction, int exponent, bool negative) {
    const auto code = static_cast<std::uint64_t>(exponent + Format::bias) << mantissa | fraction;
    return static_cast<Stored>(code | (negative ? Format::sign : Stored{0}));
  }
  static std::uint64_t fraction(const Element& element) { return element.bits >> (64 - mantissa); }
  static int exponent(const Element& element) {
    return least + static_cast<int>(scaled(element.more(0), most - least + 1));
  }
  Stored input(const Element& element, int part, int) const {
    if (part == 0) return number(fraction(element), exponent(element), true);
    return number(0, tilt(part), true);
  }
  Stored result(const Element& element) const {
    return number(fraction(element), exponent(element) + tilt_of_all, negative);
  }

  int step, tilt_of_all = 0;
  bool negative;
};

}  // namespace

std::unique_ptr<ReductionData> product_data(const DataKey& key) {
  using Made = std::unique_ptr<ReductionData>;
  if (kind_of(key.type) == Kind::integer)
    return with_integer(key.type, [&]<class Format>(Format) -> Made {
      return std::make_unique<ReductionBy<IntegerProduct<Format>>>(key);
    });
  return with_float(key.type, [&]<class Format>(Format) -> Made {
    return std::make_unique<ReductionBy<FloatProduct<Format>>>(key);
  });
}

}  // namespace weft::perf
