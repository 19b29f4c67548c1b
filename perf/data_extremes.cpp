// Extremes, and where they are.
//
// Part 0 has the extreme, a random value of the whole range of the type, subnormals, zeros of both
// signs and infinities included; the others have any value that loses, often the next one. Over a
// cycle of p elements each rank is the one that must not be missing. Taking a rank twice changes
// nothing.
//
// Pairs: parts 0 to 2 have the extreme, part 0 with the lowest index of the three; those that lose
// have lower indices. Zeros are left out: which of two zeros is less is not a pair's to say.
#include <algorithm>

#include "perf/formats.hpp"
#include "perf/reduction_data.hpp"

namespace weft::perf {
namespace {

// Values by their place in the order of the type, from 0 to `top`.
template <class Format, bool zeros>
struct Order;

template <class T, bool zeros>
struct Order<Integer<T>, zeros> {
  using Code = typename Integer<T>::Code;
  static constexpr Code top = std::numeric_limits<Code>::max();
  static Code code(std::uint64_t place) {
    constexpr Code turned = std::is_signed_v<T> ? Code(Code(1) << (Integer<T>::bits - 1)) : Code(0);
    return Code(Code(place) ^ turned);
  }
};

template <class Code, int mantissa, int bias, bool infinity, bool zeros>
struct Order<Float<Code, mantissa, bias, infinity>, zeros> {
  using Format = Float<Code, mantissa, bias, infinity>;
  static constexpr std::uint64_t least = zeros ? 0 : 1;
  // Codes of one sign, to infinity or the largest number.
  static constexpr std::uint64_t magnitudes = Format::special + (infinity ? 1 : 0) - least;
  static constexpr std::uint64_t top = 2 * magnitudes - 1;
  static Code code(std::uint64_t place) {
    if (place >= magnitudes) return Code(place - magnitudes + least);
    return Code(Format::sign | Code(magnitudes - 1 - place + least));
  }
};

template <class Format, bool zeros>
class Places {
 public:
  explicit Places(bool largest) : largest_(largest) {}
  using Code = typename Format::Code;
  Code winner(const Element& element) const { return at(place(element)); }
  Code loser(const Element& element, int part) const {
    const std::uint64_t bits = element.more(part), best = place(element);
    return at(bits % 4 == 0 ? best - 1 : scaled(bits, best));
  }

 private:
  static std::uint64_t place(const Element& element) {
    return 1 + scaled(element.bits, Order<Format, zeros>::top);
  }
  Code at(std::uint64_t place) const {
    using Values = Order<Format, zeros>;
    return Values::code(largest_ ? place : Values::top - place);
  }
  bool largest_;
};

template <class Format>
struct Extreme {
  using Stored = typename Format::Code;
  static constexpr int step = 1;
  Extreme(const DataKey& key, std::uint64_t) : places(key.op == weft_max) {}
  Stored input(const Element& element, int part, int) const {
    return part == 0 ? places.winner(element) : places.loser(element, part);
  }
  Stored result(const Element& element) const { return places.winner(element); }
  Places<Format, true> places;
};

template <class PairFormat>
struct Location {
  using Stored = PairFormat;
  static constexpr int step = 1, ties = 3;
  Location(const DataKey& key, std::uint64_t) : places(key.op == weft_maxloc) {}

  static std::int32_t index(const Element& element) {
    return static_cast<std::int32_t>(element.more(0) >> 33) - (1 << 30);
  }
  Stored input(const Element& element, int part, int) const {
    const auto apart = static_cast<std::int32_t>(element.more(~part) >> 34) + 1;  // up to 2^30
    const std::int32_t lowest = index(element);
    if (part == 0) return result(element);
    if (part < ties) return Stored::of(places.winner(element), lowest + apart / 2);
    return Stored::of(places.loser(element, part), lowest - apart);
  }
  Stored result(const Element& element) const {
    return Stored::of(places.winner(element), index(element));
  }
  Places<typename PairFormat::Value, false> places;
};

}  // namespace

std::unique_ptr<ReductionData> extreme_data(const DataKey& key) {
  using Made = std::unique_ptr<ReductionData>;
  switch (kind_of(key.type)) {
    case Kind::integer:
      return with_integer(key.type, [&]<class Format>(Format) -> Made {
        return std::make_unique<ReductionBy<Extreme<Format>>>(key);
      });
    case Kind::floating:
      return with_float(key.type, [&]<class Format>(Format) -> Made {
        return std::make_unique<ReductionBy<Extreme<Format>>>(key);
      });
    default: break;
  }
  return with_pair(key.type, [&]<class PairFormat>(PairFormat) -> Made {
    return std::make_unique<ReductionBy<Location<PairFormat>>>(key);
  });
}

}  // namespace weft::perf
