// Narrow floats on vectors: to float32 exactly, back with one rounding to nearest even.
//
// A format is a kernel (kernel_inl.hpp) without node, computed on in float32; product_factor
// undoes the scale of a product where numbers are loaded scaled:
//
//   byte formats, float16 in general       Format, by integer arithmetic
//   the same where the machine converts    Float8InHalf, Float16Native
//   bfloat16                               Bfloat16: even and odd elements are the two parts, so
//                                          that no element changes its lane
//
// All round by rules of their own: the conversions of Highway 1.0.3 truncate bfloat16, and its
// emulated float16 does not always round to nearest even.
// Compiled once for each instruction set. Threads: pure functions.
#if defined(WEFT_HOST_NARROW_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_HOST_NARROW_TOGGLE
#undef WEFT_HOST_NARROW_TOGGLE
#else
#define WEFT_HOST_NARROW_TOGGLE
#endif

#include <limits>

#include "intranode/host/kernel_inl.hpp"

// float16 in hardware rounds to nearest even whatever the environment says, on x86 with F16C.
#undef WEFT_HOST_F16C
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)
#define WEFT_HOST_F16C 1
#else
#define WEFT_HOST_F16C 0
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::host {
namespace HWY_NAMESPACE {

inline constexpr u32 float_infinity = 0x7f800000, float_nan = 0x7fc00000;

// Bits of a float32 as a number of its own: for positive ones, their order is the order of floats.
template <class DF>
using Bits = hn::Vec<hn::RebindToSigned<DF>>;

template <class DF>
HWY_INLINE Bits<DF> bits_of(DF, hn::Vec<DF> value) {
  return hn::BitCast(hn::RebindToSigned<DF>(), value);
}
template <class DF>
HWY_INLINE Bits<DF> bits(DF, u32 pattern) {
  return hn::Set(hn::RebindToSigned<DF>(), i32(pattern));
}
template <class DF>
HWY_INLINE hn::Vec<DF> float_of(DF df, Bits<DF> value) {
  return hn::BitCast(df, value);
}
template <class DF>
HWY_INLINE hn::Vec<DF> quiet(DF df, hn::Vec<DF> value) {
  return hn::IfThenElse(hn::IsNaN(value), float_of(df, bits(df, float_nan)), value);
}

constexpr u32 power_of_two(int exponent) { return u32(127 + exponent) << 23; }

// Sign, exponent with `bias`, `mantissa` bits; codes from `special` on are no numbers: infinity and
// NaNs, or NaN alone.
template <class LaneType, int mantissa, int bias, u32 special, bool has_infinity>
struct Format {
  using Lane = LaneType;
  using Tag = hn::Rebind<Lane, hn::ScalableTag<float>>;
  template <class D>
  using Wide = hn::Rebind<float, D>;
  static constexpr int parts = 1;
  static constexpr float product_factor = 1;
  static constexpr int surplus = 23 - mantissa;  // bits that float32 has and this has not
  static constexpr u32 sign = 1u << (8 * sizeof(Lane) - 1);
  static constexpr int to_top = 32 - 8 * int(sizeof(Lane));
  static constexpr u32 the_nan = has_infinity ? special | 1u << (mantissa - 1) : special;
  // What the code `special` would be if it were a number: where overflow begins, after rounding.
  static constexpr u32 limit = (special << surplus) + (u32(127 - bias) << 23);
  static constexpr u32 least_normal = power_of_two(1 - bias);

  template <int part, class D>
  static HWY_INLINE hn::Vec<Wide<D>> load(D d, const std::byte* from) {
    return widen(Wide<D>(), hn::PromoteTo(hn::Rebind<i32, D>(), load_lanes(d, from)));
  }

  template <class DF>
  static HWY_INLINE hn::Vec<DF> widen(DF df, Bits<DF> code) {
    const auto magnitude = hn::And(code, bits(df, sign - 1));
    const auto shifted = hn::ShiftLeft<surplus>(magnitude);
    const auto normal = hn::Add(shifted, bits(df, u32(127 - bias) << 23));
    // A subnormal has no leading one: put one there, and take it away as a float.
    const auto with_one = hn::Add(shifted, bits(df, u32(128 - bias) << 23));
    const auto subnormal = hn::Sub(float_of(df, with_one), float_of(df, bits(df, least_normal)));
    auto value =
        hn::IfThenElse(hn::Lt(magnitude, bits(df, 1u << mantissa)), bits_of(df, subnormal), normal);
    value = hn::IfThenElse(hn::Gt(magnitude, bits(df, special - 1)),
                           hn::Or(normal, bits(df, float_infinity)), value);
    return float_of(df, hn::Or(value, hn::ShiftLeft<to_top>(hn::And(code, bits(df, sign)))));
  }

  // The exponent of a magnitude, not below that of subnormals, as the bits of a float32.
  template <class DF>
  static HWY_INLINE Bits<DF> exponent_of(DF df, Bits<DF> magnitude) {
    return hn::Max(hn::And(magnitude, bits(df, float_infinity)), bits(df, least_normal));
  }

  // A magnitude rounded by adding a power of two so large that the sum's last bit is the last bit
  // wanted, be the number normal or not. A result of a node is not so much larger than numbers of
  // the type that exponents run over. NaN stays NaN.
  template <class DF>
  static HWY_INLINE hn::Vec<DF> rounded(DF df, Bits<DF> magnitude) {
    const auto magic =
        float_of(df, hn::Add(exponent_of(df, magnitude), bits(df, u32(surplus) << 23)));
    return hn::Sub(hn::Add(float_of(df, magnitude), magic), magic);
  }
  template <class DF>
  static HWY_INLINE hn::Vec<DF> with_sign_of(DF df, Bits<DF> pattern, hn::Vec<DF> magnitude) {
    return hn::Or(magnitude, float_of(df, hn::And(pattern, bits(df, 0x80000000))));
  }

  template <class D, class V>
  static HWY_INLINE V settle(D, V value) {
    const Wide<D> df;
    const auto pattern = bits_of(df, value);
    const auto number = rounded(df, hn::And(pattern, bits(df, 0x7fffffff)));
    const auto over = float_of(df, bits(df, has_infinity ? float_infinity : float_nan));
    const auto is_over = hn::Ge(number, float_of(df, bits(df, limit)));
    return with_sign_of(df, pattern, hn::IfThenElse(is_over, over, number));
  }

  template <class D>
  static HWY_INLINE hn::Vec<D> finish(D d, hn::Vec<Wide<D>> value) {
    const Wide<D> df;
    const auto pattern = bits_of(df, value);
    const auto magnitude = hn::Min(hn::And(pattern, bits(df, 0x7fffffff)), bits(df, limit));
    const auto exponent = exponent_of(df, magnitude);
    const auto magic = hn::Add(exponent, bits(df, u32(surplus) << 23));
    const auto sum = bits_of(df, hn::Add(float_of(df, magnitude), float_of(df, magic)));
    // The sum's last bits count the significand; each exponent above the least adds one leading
    // bit.
    const auto above = hn::ShiftRight<surplus>(hn::Sub(exponent, bits(df, least_normal)));
    const auto code = hn::Add(hn::Sub(sum, magic), above);
    const auto top = hn::And(hn::ShiftRight<to_top>(pattern), bits(df, sign));
    const auto nan = has_infinity ? hn::RebindMask(hn::RebindToSigned<Wide<D>>(), hn::IsNaN(value))
                                  : hn::Gt(code, bits(df, special - 1));
    return hn::DemoteTo(d, hn::IfThenElse(nan, bits(df, the_nan), hn::Or(code, top)));
  }
};

using Float8E4m3 = Format<u8, 3, 7, 0x7f, false>;
using Float8E5m2 = Format<u8, 2, 15, 0x7c, true>;
using Float16General = Format<u16, 10, 15, 0x7c00, true>;

#if WEFT_HOST_F16C
struct Float16Native {
  using Lane = u16;
  using Tag = hn::Rebind<Lane, hn::ScalableTag<float>>;
  template <class D>
  using Wide = hn::Rebind<float, D>;
  static constexpr int parts = 1;
  static constexpr float product_factor = 1;

  template <int part, class D>
  static HWY_INLINE hn::Vec<Wide<D>> load(D d, const std::byte* from) {
    return hn::PromoteTo(Wide<D>(),
                         hn::BitCast(hn::Rebind<hwy::float16_t, D>(), load_lanes(d, from)));
  }
  template <class D, class V>
  static HWY_INLINE V settle(D, V value) {
    return hn::PromoteTo(Wide<D>(), hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), value));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> finish(D d, hn::Vec<Wide<D>> value) {
    return hn::BitCast(d, hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), quiet(Wide<D>(), value)));
  }
};

// Bytes by way of float16, of which they are the first bits: e5m2 as it is, e4m3 divided by 256.
// For results of nodes alone: rounding does not hold for any float32.
template <int mantissa, u32 special, bool has_infinity>
struct Float8InHalf : Format<u8, mantissa, 15, special, has_infinity> {
  using Base = Format<u8, mantissa, 15, special, has_infinity>;
  template <class D>
  using Wide = typename Base::template Wide<D>;
  static constexpr float product_factor = has_infinity ? 1 : 256;
  static constexpr auto last = std::int16_t(has_infinity ? 0x7c00 : 0x3f00);

  template <int part, class D>
  static HWY_INLINE hn::Vec<Wide<D>> load(D d, const std::byte* from) {
    const hn::Rebind<std::int16_t, D> dh;
    const auto code = hn::BitCast(hn::RebindToSigned<D>(), load_lanes(d, from));
    auto half = hn::ShiftLeft<10 - mantissa>(hn::PromoteTo(dh, code));
    if constexpr (!has_infinity) {
      half = hn::And(half, hn::Set(dh, std::int16_t(0xbf80)));
      const auto negative = hn::Or(half, hn::Set(dh, std::int16_t(0x8000)));
      const auto nan = hn::Eq(negative, hn::Set(dh, std::int16_t(0xbf80)));
      half = hn::IfThenElse(nan, hn::Set(dh, std::int16_t(0x7e00)), half);
    }
    return hn::PromoteTo(Wide<D>(), hn::BitCast(hn::Rebind<hwy::float16_t, D>(), half));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> finish(D d, hn::Vec<Wide<D>> value) {
    const Wide<D> df;
    const hn::Rebind<std::int16_t, D> dh;
    const hn::RebindToUnsigned<decltype(dh)> du;
    const auto pattern = bits_of(df, value);
    const auto number = Base::rounded(df, hn::And(pattern, bits(df, 0x7fffffff)));
    const auto half = hn::BitCast(
        dh, hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), Base::with_sign_of(df, pattern, number)));
    const auto magnitude = hn::And(half, hn::Set(dh, std::int16_t(0x7fff)));
    const auto nan = hn::Gt(magnitude, hn::Set(dh, last));
    // e4m3 has no use for the first bit of the exponent: adding the magnitude pushes it out.
    const auto top = hn::BitCast(du, has_infinity ? half : hn::Add(half, magnitude));
    const auto code = hn::BitCast(dh, hn::ShiftRight<8>(top));
    return hn::DemoteTo(d, hn::IfThenElse(nan, hn::Set(dh, std::int16_t(Base::the_nan)), code));
  }
};
using Float8E4m3InNodes = Float8InHalf<3, 0x7f, false>;
using Float8E5m2InNodes = Float8InHalf<2, 0x7c, true>;
using Float16 = Float16Native;
#else
using Float16 = Float16General;
using Float8E4m3InNodes = Float8E4m3;
using Float8E5m2InNodes = Float8E5m2;
#endif

// To nearest even, in the upper half of each pattern; what is in the lower half then is of no use.
// A NaN of bfloat16 survives it, one whose lower half is not zero may not.
template <class DU>
HWY_INLINE hn::Vec<DU> round_to_upper_half(DU du, hn::Vec<DU> pattern) {
#if HWY_TARGET <= HWY_AVX3  // masks are registers of their own: one instruction less
  const auto odd = hn::TestBit(pattern, hn::Set(du, 0x10000u));
  return hn::Add(pattern, hn::IfThenElse(odd, hn::Set(du, 0x8000u), hn::Set(du, 0x7fffu)));
#else
  const auto odd = hn::And(hn::ShiftRight<16>(pattern), hn::Set(du, 1u));
  return hn::Add(hn::Add(pattern, hn::Set(du, 0x7fffu)), odd);
#endif
}

// One part, for maps that change the width, and for machines without vectors.
struct Bfloat16Single {
  using Lane = u16;
  using Tag = hn::Rebind<Lane, hn::ScalableTag<float>>;
  template <class D>
  using Wide = hn::Rebind<float, D>;
  static constexpr int parts = 1;
  static constexpr float product_factor = 1;

  template <int part, class D>
  static HWY_INLINE hn::Vec<Wide<D>> load(D d, const std::byte* from) {
    const auto code = hn::PromoteTo(hn::Rebind<u32, D>(), load_lanes(d, from));
    return hn::BitCast(Wide<D>(), hn::ShiftLeft<16>(code));
  }
  template <class D, class V>
  static HWY_INLINE V settle(D, V value) {
    const hn::Rebind<u32, D> du;
    const auto rounded = round_to_upper_half(du, hn::BitCast(du, value));
    return hn::BitCast(Wide<D>(), hn::And(rounded, hn::Set(du, 0xffff0000u)));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> finish(D d, hn::Vec<Wide<D>> value) {
    const hn::Rebind<u32, D> du;
    const auto pattern = hn::BitCast(du, quiet(Wide<D>(), value));
    const auto code = hn::ShiftRight<16>(round_to_upper_half(du, pattern));
    return hn::DemoteTo(d, hn::BitCast(hn::RebindToSigned<decltype(du)>(), code));
  }
};

#if HWY_TARGET == HWY_SCALAR
using Bfloat16 = Bfloat16Single;
#else
struct Bfloat16 {
  using Lane = u16;
  using Tag = hn::ScalableTag<Lane>;
  template <class D>
  using Wide = hn::Repartition<float, D>;
  static constexpr int parts = 2;
  static constexpr float product_factor = 1;

  template <int part, class D>
  static HWY_INLINE hn::Vec<Wide<D>> load(D d, const std::byte* from) {
    const hn::Repartition<u32, D> du;
    const auto pairs = hn::BitCast(du, load_lanes(d, from));
    if constexpr (part == 0) {
      return hn::BitCast(Wide<D>(), hn::ShiftLeft<16>(pairs));
    } else {
      return hn::BitCast(Wide<D>(), hn::And(pairs, hn::Set(du, 0xffff0000u)));
    }
  }
  template <class D, class V>
  static HWY_INLINE V settle(D, V value) {
    const hn::Repartition<u32, D> du;
    const auto rounded = round_to_upper_half(du, hn::BitCast(du, value));
    return hn::BitCast(Wide<D>(), hn::And(rounded, hn::Set(du, 0xffff0000u)));
  }
  // NaNs here come from those of bfloat16 or are the machine's own: rounding leaves them NaNs.
  template <class D>
  static HWY_INLINE hn::Vec<D> finish(D d, hn::Vec<Wide<D>> even, hn::Vec<Wide<D>> odd) {
    const hn::Repartition<u32, D> du;
    const hn::RebindToSigned<D> di;
    const auto lower = hn::ShiftRight<16>(round_to_upper_half(du, hn::BitCast(du, even)));
    const auto upper = round_to_upper_half(du, hn::BitCast(du, odd));
    const auto code = hn::BitCast(di, hn::OddEven(hn::BitCast(d, upper), hn::BitCast(d, lower)));
    const auto magnitude = hn::And(code, hn::Set(di, 0x7fff));
    const auto nan = hn::Gt(magnitude, hn::Set(di, 0x7f80));
    return hn::BitCast(d, hn::IfThenElse(nan, hn::Set(di, 0x7fc0), code));
  }
};
#endif

template <class Format>
struct NarrowSum : Format {
  using Often = void;
  template <class D, class V>
  static HWY_INLINE V node(D, V a, V b) {
    return hn::Add(a, b);
  }
};

template <class Format>
struct NarrowProd : Format {
  template <class D, class V>
  static HWY_INLINE V node(D, V a, V b) {
    if constexpr (Format::product_factor == 1) return hn::Mul(a, b);
    return hn::Mul(hn::Mul(a, hn::Set(hn::DFromV<V>(), Format::product_factor)), b);
  }
};

// Minima and maxima need no arithmetic: patterns, negative ones turned around, have the order of
// the numbers, -0 below +0, and NaN is put at the end that wins.
template <class LaneType, LaneType infinity_or_last, LaneType the_nan, bool largest>
struct NarrowExtreme : Whole<LaneType> {
  using Lane = LaneType;
  static constexpr Lane all_but_sign = std::numeric_limits<Lane>::max();

  template <class D>
  static HWY_INLINE hn::Vec<D> turn(D d, hn::Vec<D> code) {
    return hn::Xor(code, hn::And(hn::BroadcastSignBit(code), hn::Set(d, all_but_sign)));
  }
  template <int part, class D>
  static HWY_INLINE hn::Vec<D> load(D d, const std::byte* from) {
    const auto code = load_lanes(d, from);
    const auto magnitude = hn::And(code, hn::Set(d, all_but_sign));
    const auto nan = hn::Gt(magnitude, hn::Set(d, infinity_or_last));
    const Lane winner = largest ? all_but_sign : std::numeric_limits<Lane>::min();
    return hn::IfThenElse(nan, hn::Set(d, winner), turn(d, code));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> node(D, hn::Vec<D> a, hn::Vec<D> b) {
    if constexpr (largest) return hn::Max(a, b);
    return hn::Min(a, b);
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> finish(D d, hn::Vec<D> key) {
    const auto code = turn(d, key);
    const auto magnitude = hn::And(code, hn::Set(d, all_but_sign));
    const auto nan = hn::Gt(magnitude, hn::Set(d, infinity_or_last));
    return hn::IfThenElse(nan, hn::Set(d, the_nan), code);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace weft::host
HWY_AFTER_NAMESPACE();

#endif
