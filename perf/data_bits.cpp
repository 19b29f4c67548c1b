// Bitwise and logical operators, and bool.
//
// band, bor. Of a random set of bits each has one part as its owner, the only one to have it set
// (bor) or not (band), so leaving a rank out shows in the bits it owns. At most half as many parts
// as bits own some, at least one each; ranks move on by that many an element. bxor: random bits,
// never 0. Taking a rank twice changes nothing but in bxor and lxor, where it shows as leaving out
// does.
//
// land, lor. One part decides, the others leave it the decision; where it is to differ from them is
// random, but at one of two elements with the same part. lxor: all parts but the deciding one are
// true. True is any value but 0, wherever its bits are. A reduction over one rank combines nothing,
// so there true is 1.
#include <algorithm>

#include "perf/formats.hpp"
#include "perf/reduction_data.hpp"

namespace weft::perf {
namespace {

template <class Format>
struct Bits {
  using Stored = typename Format::Code;
  static constexpr int bits = Format::bits;

  Bits(const DataKey& key, std::uint64_t hash)
      : op(key.op), owners(std::min(key.ranks, bits / 2)), owned(owners) {
    for (int bit = 0; bit < bits; ++bit) owned[bit % owners] |= Stored(Stored(1) << bit);
    step = op == weft_bxor ? 1 : step_over(owners, key.ranks);
    if (op == weft_bxor)
      random = by_part<Stored>(hash, key.ranks, [](std::uint64_t any) { return Stored(any | 1); });
    for (const Stored number : random) total ^= number;
  }
  // The bits that are set, or not, in one part; for each owner there is one.
  Stored chosen(const Element& element) const {
    return Stored(element.bits | ((std::uint64_t{1} << owners) - 1));
  }
  Stored even(const Element& element) const { return Stored(element.bits << 1); }

  Stored input(const Element& element, int part, int) const {
    if (op == weft_bxor) return Stored(random[part] ^ (part == 0 ? even(element) : Stored{0}));
    const Stored mine = part < owners ? Stored(owned[part] & chosen(element)) : Stored{0};
    return op == weft_bor ? mine : Stored(~mine);
  }
  Stored result(const Element& element) const {
    if (op == weft_bxor) return Stored(total ^ even(element));
    return op == weft_bor ? chosen(element) : Stored(~chosen(element));
  }

  weft_op_t op;
  int owners, step;
  std::vector<Stored> owned, random;
  Stored total = 0;
};

template <class Code>
struct Logic {
  using Stored = Code;
  static constexpr int step = 1;

  Logic(const DataKey& key, std::uint64_t seed) : op(logical(key)), ranks(key.ranks), hash(seed) {}

  // What an operator of bool comes to.
  static weft_op_t logical(const DataKey& key) {
    if (key.type != weft_bool) return key.op;
    switch (key.op) {
      case weft_sum:
      case weft_sum_wide:
      case weft_max:
      case weft_bor:
      case weft_lor: return weft_lor;
      case weft_bxor:
      case weft_lxor: return weft_lxor;
      default: return weft_land;
    }
  }
  // Part 0 is the same rank's at an element and one cycle later: there it decides differently.
  bool differs(const Element& element) const {
    const std::uint64_t cycle = element.index / ranks, place = element.index % ranks;
    return (bits_at(hash, (cycle / 2) * ranks + place) >> 63) != (cycle & 1);
  }
  Stored truth(std::uint64_t bits) const {
    if (ranks == 1) return 1;
    const std::uint64_t byte = 1 + scaled(bits, 255);
    return static_cast<Stored>(byte << 8 * (bits % sizeof(Stored)));
  }
  Stored input(const Element& element, int part, int) const {
    bool is_true = op != weft_lor;
    if (part == 0) is_true = differs(element) == (op != weft_land);
    return is_true ? truth(element.more(part)) : Stored{0};
  }
  Stored result(const Element& element) const {
    if (op == weft_lxor) return ((ranks - 1) % 2 != 0) != differs(element) ? 1 : 0;
    return differs(element) == (op == weft_lor) ? 1 : 0;
  }

  weft_op_t op;
  std::uint64_t ranks, hash;
};

}  // namespace

std::unique_ptr<ReductionData> bit_data(const DataKey& key) {
  return with_integer(key.type, [&]<class Format>(Format) -> std::unique_ptr<ReductionData> {
    return std::make_unique<ReductionBy<Bits<Format>>>(key);
  });
}

std::unique_ptr<ReductionData> logical_data(const DataKey& key) {
  using Made = std::unique_ptr<ReductionData>;
  if (key.type == weft_bool) return std::make_unique<ReductionBy<Logic<std::uint8_t>>>(key);
  return with_integer(key.type, [&]<class Format>(Format) -> Made {
    return std::make_unique<ReductionBy<Logic<typename Format::Code>>>(key);
  });
}

}  // namespace weft::perf
