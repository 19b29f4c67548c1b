// What sum, min and max mean on vectors, compiled once for each instruction set.
//
// Included by reduce.cpp again and again, each time inside another target namespace of Highway;
// the toggle below takes the place of an include guard. Threads: pure functions.
#if defined(WEFT_HOST_OPERATORS_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_HOST_OPERATORS_TOGGLE
#undef WEFT_HOST_OPERATORS_TOGGLE
#else
#define WEFT_HOST_OPERATORS_TOGGLE
#endif

#include <hwy/highway.h>

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace weft::host {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
inline constexpr bool is_float = hwy::IsFloat<hn::TFromD<D>>();

// Machines keep the payload of one NaN or the other, by operand order; one NaN has one pattern.
template <class D>
HWY_INLINE hn::Vec<D> one_nan(D d, hn::Mask<D> where, hn::Vec<D> value) {
  return hn::IfThenElse(where, hn::Set(d, std::numeric_limits<hn::TFromD<D>>::quiet_NaN()), value);
}

struct Sum {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> a, hn::Vec<D> b) const {
    const auto sum = hn::Add(a, b);
    if constexpr (is_float<D>) return one_nan(d, hn::IsNaN(sum), sum);
    return sum;
  }
};

// Vector minima of floats differ between machines for NaN and for zeros of both signs, so they are
// built from comparisons. Equal floats have equal bits, except the zeros: Or keeps a sign, And
// drops it.
struct Min {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> a, hn::Vec<D> b) const {
    if constexpr (is_float<D>) {
      const auto least =
          hn::IfThenElse(hn::Eq(a, b), hn::Or(a, b), hn::IfThenElse(hn::Lt(a, b), a, b));
      return one_nan(d, hn::Or(hn::IsNaN(a), hn::IsNaN(b)), least);
    } else {
      return hn::Min(a, b);
    }
  }
};

struct Max {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> a, hn::Vec<D> b) const {
    if constexpr (is_float<D>) {
      const auto most =
          hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), hn::IfThenElse(hn::Lt(b, a), a, b));
      return one_nan(d, hn::Or(hn::IsNaN(a), hn::IsNaN(b)), most);
    } else {
      return hn::Max(a, b);
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace weft::host
HWY_AFTER_NAMESPACE();

#endif
