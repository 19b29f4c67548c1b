// A value and its index are compared as integers whose order is the rule's; the pair that wins is
// taken as it lies in memory.
#include "intranode/host/families.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "intranode/host/reduce_pair.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <bit>
#include <limits>

#include "intranode/host/kernel_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::host {
namespace HWY_NAMESPACE {

static_assert(std::endian::native == std::endian::little, "a pair's value is its lowest bits");

constexpr i64 float_magnitude = 0x7fffffff00000000, float_infinity = 0x7f80000000000000;
constexpr i64 double_magnitude = std::numeric_limits<i64>::max();
constexpr i64 double_infinity = 0x7ff0000000000000;

// Patterns of floats in the order of the rule: negative ones turned around, NaN at the end that
// wins. `magnitude`: the bits of a float that are not its sign.
template <bool largest, i64 magnitude, i64 infinity, class D, class V = hn::Vec<D>>
HWY_INLINE V order_of_float(D d, V pattern) {
  const V all_but_sign = hn::Set(d, magnitude);
  const V turned = hn::Xor(pattern, hn::And(hn::BroadcastSignBit(pattern), all_but_sign));
  const V winner = hn::Set(d, largest ? magnitude : std::numeric_limits<i64>::min());
  const auto nan = hn::Gt(hn::And(pattern, all_but_sign), hn::Set(d, infinity));
  return hn::IfThenElse(nan, winner, turned);
}

template <bool largest, class D, class V = hn::Vec<D>>
HWY_INLINE auto is_better(D, V key, V than) {
  if constexpr (largest) {
    return hn::Gt(key, than);
  } else {
    return hn::Lt(key, than);
  }
}

// Eight bytes: value, then index in the upper half. Value and index make one key of 64 bits.
template <int value_bits, bool is_float, bool largest>
struct ShortPair : Whole<i64> {
  template <class D>
  static HWY_INLINE hn::Vec<D> key(D d, hn::Vec<D> pair) {
    auto value = hn::ShiftLeft<64 - value_bits>(pair);
    if constexpr (is_float) {
      value = order_of_float<largest, float_magnitude, float_infinity>(d, value);
    }
    const hn::RebindToUnsigned<D> du;
    const auto index = hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(du, pair)));
    // Bits that make signed indices unsigned ones, in falling order where the largest key wins.
    const auto flip = hn::Set(d, largest ? 0x7fffffff : i64(0x80000000));
    return hn::Or(value, hn::Xor(index, flip));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> node(D d, hn::Vec<D> a, hn::Vec<D> b) {
    return hn::IfThenElse(is_better<largest>(d, key(d, b), key(d, a)), b, a);
  }
};

// Sixteen bytes: the value in one lane, the index in the lower half of the next.
#if HWY_TARGET == HWY_SCALAR
template <bool is_float, bool largest>
HWY_INLINE bool long_pair_is_better(i64 value, i64 index, i64 than_value, i64 than_index) {
  const hn::ScalableTag<i64> d;
  auto key = hn::Set(d, value), than = hn::Set(d, than_value);
  if constexpr (is_float) {
    key = order_of_float<largest, double_magnitude, double_infinity>(d, key);
    than = order_of_float<largest, double_magnitude, double_infinity>(d, than);
  }
  if (hn::GetLane(key) == hn::GetLane(than)) return i32(index) < i32(than_index);
  return hn::GetLane(largest ? than : key) < hn::GetLane(largest ? key : than);
}

template <bool is_float, bool largest>
void combine_two(std::byte* target, const std::byte* const* operands, std::size_t offset,
                 std::size_t bytes) {
  const std::byte *const left = operands[0] + offset, *const right = operands[1] + offset;
  for (std::size_t at = 0; at < bytes; at += 16) {
    i64 a[2], b[2];
    std::memcpy(a, left + at, 16);
    std::memcpy(b, right + at, 16);
    const bool better = long_pair_is_better<is_float, largest>(b[0], b[1], a[0], a[1]);
    std::memcpy(target + at, better ? b : a, 16);
  }
}

template <bool is_float, bool largest>
void reduce_long_pairs(std::byte* target, const std::byte* const* operands, std::size_t count,
                       std::size_t elements, const void* /* the operator has no context */) {
  reduce_by_groups({combine_two<is_float, largest>}, 16, target, operands, count, elements * 16);
}
#else
template <bool is_float, bool largest>
struct LongPair : Whole<i64> {
  template <class D>
  static HWY_INLINE hn::Vec<D> value(D d, hn::Vec<D> pair) {
    const auto value = hn::InterleaveLower(d, pair, pair);
    if constexpr (!is_float) return value;
    return order_of_float<largest, double_magnitude, double_infinity>(d, value);
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> node(D d, hn::Vec<D> a, hn::Vec<D> b) {
    const auto a_index = hn::ShiftLeft<32>(hn::InterleaveUpper(d, a, a));
    const auto b_index = hn::ShiftLeft<32>(hn::InterleaveUpper(d, b, b));
    const auto a_value = value(d, a), b_value = value(d, b);
    const auto lower = hn::And(hn::Eq(a_value, b_value), hn::Lt(b_index, a_index));
    return hn::IfThenElse(hn::Or(is_better<largest>(d, b_value, a_value), lower), b, a);
  }
};

template <bool is_float, bool largest>
constexpr ReduceFunction reduce_long_pairs = reduce<LongPair<is_float, largest>, 16>;
#endif

template <bool largest>
ReduceFunction choose_of(DataType type) {
  switch (type) {
    case DataType::float32_int32: return reduce<ShortPair<32, true, largest>>;
    case DataType::int32_int32: return reduce<ShortPair<32, false, largest>>;
    case DataType::int16_int32: return reduce<ShortPair<16, false, largest>>;
    case DataType::float64_int32: return reduce_long_pairs<true, largest>;
    case DataType::int64_int32: return reduce_long_pairs<false, largest>;
    default: return nullptr;
  }
}

ReduceFunction choose_pair(DataType type, Op op) {
  if (op == Op::maxloc) return choose_of<true>(type);
  return op == Op::minloc ? choose_of<false>(type) : nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::host
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::host {

HWY_EXPORT(choose_pair);

ReduceFunction pair_function(DataType type, Op op) {
  return HWY_DYNAMIC_DISPATCH(choose_pair)(type, op);
}

}  // namespace weft::host
#endif
