// Kernels whose lanes are what they compute on: integers, booleans, float32 and float64.
//
// Compiled once for each instruction set; see kernel_inl.hpp. Threads: pure functions.
#if defined(WEFT_HOST_PLAIN_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_HOST_PLAIN_TOGGLE
#undef WEFT_HOST_PLAIN_TOGGLE
#else
#define WEFT_HOST_PLAIN_TOGGLE
#endif

#include <limits>

#include "intranode/host/kernel_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::host {
namespace HWY_NAMESPACE {

// Machines keep the payload of one NaN or the other, by operand order; one NaN has one pattern.
template <class D>
HWY_INLINE hn::Vec<D> one_nan(D d, hn::Mask<D> where, hn::Vec<D> value) {
  return hn::IfThenElse(where, hn::Set(d, std::numeric_limits<hn::TFromD<D>>::quiet_NaN()), value);
}

// Sums and products of floats: a NaN goes through every further node, so that the root alone need
// look.
template <class T>
struct Arithmetic : Whole<T> {
  template <class D>
  static HWY_INLINE hn::Vec<D> finish(D d, hn::Vec<D> value) {
    if constexpr (hwy::IsFloat<T>()) return one_nan(d, hn::IsNaN(value), value);
    return value;
  }
};

template <class T>
struct Sum : Arithmetic<T> {
  using Often = void;
  template <class D>
  static HWY_INLINE hn::Vec<D> node(D, hn::Vec<D> a, hn::Vec<D> b) {
    return hn::Add(a, b);
  }
};

template <class T>
struct Prod : Arithmetic<T> {
  template <class D>
  static HWY_INLINE hn::Vec<D> node(D d, hn::Vec<D> a, hn::Vec<D> b) {
    if constexpr (sizeof(T) > 1) {
      return hn::Mul(a, b);
    } else if constexpr (hn::MaxLanes(D()) == 1) {
      return hn::Set(d, T(hn::GetLane(a) * hn::GetLane(b)));
    } else {  // no machine multiplies bytes: even ones and odd ones, in lanes of 16 bits
      const hn::Repartition<u16, D> wide;
      const auto a_wide = hn::BitCast(wide, a), b_wide = hn::BitCast(wide, b);
      const auto even = hn::And(hn::Mul(a_wide, b_wide), hn::Set(wide, u16(0x00ff)));
      const auto odd = hn::Mul(hn::ShiftRight<8>(a_wide), hn::ShiftRight<8>(b_wide));
      return hn::BitCast(d, hn::Or(even, hn::ShiftLeft<8>(odd)));
    }
  }
};

// Vector minima of floats differ between machines for NaN and for zeros of both signs, so they are
// built from comparisons. Equal floats have equal bits, except the zeros: Or keeps a sign, And
// drops it.
template <class T>
struct Min : Whole<T> {
  template <class D>
  static HWY_INLINE hn::Vec<D> node(D d, hn::Vec<D> a, hn::Vec<D> b) {
    if constexpr (hwy::IsFloat<T>()) {
      const auto least =
          hn::IfThenElse(hn::Eq(a, b), hn::Or(a, b), hn::IfThenElse(hn::Lt(a, b), a, b));
      return one_nan(d, hn::Or(hn::IsNaN(a), hn::IsNaN(b)), least);
    } else {
      return hn::Min(a, b);
    }
  }
};

template <class T>
struct Max : Whole<T> {
  template <class D>
  static HWY_INLINE hn::Vec<D> node(D d, hn::Vec<D> a, hn::Vec<D> b) {
    if constexpr (hwy::IsFloat<T>()) {
      const auto most =
          hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), hn::IfThenElse(hn::Lt(b, a), a, b));
      return one_nan(d, hn::Or(hn::IsNaN(a), hn::IsNaN(b)), most);
    } else {
      return hn::Max(a, b);
    }
  }
};

struct BitAnd {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::And(a, b);
  }
};
struct BitOr {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Or(a, b);
  }
};
struct BitXor {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Xor(a, b);
  }
};

template <class Operator>
struct Bitwise : Whole<u8> {
  template <class D>
  static HWY_INLINE hn::Vec<D> node(D, hn::Vec<D> a, hn::Vec<D> b) {
    return Operator()(a, b);
  }
};

// True is all ones while it is computed with, and 1 in memory.
template <class T, class Operator>
struct Logical : Whole<T> {
  template <int part, class D>
  static HWY_INLINE hn::Vec<D> load(D d, const std::byte* from) {
    return hn::VecFromMask(d, hn::Ne(load_lanes(d, from), hn::Zero(d)));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> node(D, hn::Vec<D> a, hn::Vec<D> b) {
    return Operator()(a, b);
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> finish(D d, hn::Vec<D> value) {
    return hn::And(value, hn::Set(d, T(1)));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace weft::host
HWY_AFTER_NAMESPACE();

#endif
