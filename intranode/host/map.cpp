#include "intranode/host/map.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "intranode/host/map.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "intranode/host/narrow_inl.hpp"
#include "intranode/host/plain_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::host {
namespace HWY_NAMESPACE {

template <class T>
HWY_INLINE T read(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Runs a step, and where there is less than one vector, on copies. `Step` has `source`, `target`
// and the sizes of their elements.
template <class Step>
HWY_INLINE void run(Step step, std::size_t elements) {
  if (elements == 0) return;
  if (elements >= step.width()) return sweep(step, elements);
  Pad<typename Step::From> from;
  Pad<typename Step::To> to;
  from.fill(step.source, elements * sizeof(hn::TFromD<typename Step::From>));
  std::byte* const target = step.target;
  step.source = from.bytes;
  step.target = to.bytes;
  step.put(step.compute(0), 0);
  std::memcpy(target, to.bytes, elements * sizeof(hn::TFromD<typename Step::To>));
}

// A node of which one side is the same for all elements.
template <class Kernel, class Scalar>
struct NodeStep {
  using D = typename Kernel::Tag;
  using From = D;
  using To = D;
  std::byte* target;
  const std::byte* source;
  Scalar scalar;

  template <int part>
  HWY_INLINE auto node(std::size_t lane) const {
    const auto value =
        Kernel::template load<part>(D(), source + lane * sizeof(typename Kernel::Lane));
    const hn::DFromV<decltype(value)> wide;
    return Kernel::node(D(), value, hn::Set(wide, scalar));
  }
  HWY_INLINE std::size_t width() const { return hn::Lanes(D()); }
  HWY_INLINE hn::Vec<D> compute(std::size_t lane) const {
    if constexpr (Kernel::parts == 1) {
      return Kernel::finish(D(), node<0>(lane));
    } else {
      return Kernel::finish(D(), node<0>(lane), node<1>(lane));
    }
  }
  HWY_INLINE void put(hn::Vec<D> result, std::size_t lane) const {
    store_lanes(D(), result, target + lane * sizeof(typename Kernel::Lane));
  }
};

template <class Kernel>
void multiply_by(std::byte* target, const std::byte* source, std::size_t elements,
                 const void* parameter) {
  Pad<typename Kernel::Tag> pad;
  pad.fill(static_cast<const std::byte*>(parameter), sizeof(typename Kernel::Lane));
  const auto scalar = hn::GetLane(Kernel::template load<0>(typename Kernel::Tag(), pad.bytes));
  run(NodeStep<Kernel, decltype(scalar)>{target, source, scalar}, elements);
}

template <class Base>
struct Quotient : Base {
  template <class D, class V>
  static HWY_INLINE V node(D, V a, V b) {
    return hn::Div(a, b);
  }
};

template <class Base, class Scalar>
void divide_float(std::byte* target, const std::byte* source, std::size_t elements,
                  const void* parameter) {
  const auto n = static_cast<Scalar>(read<u64>(parameter));
  run(NodeStep<Quotient<Base>, Scalar>{target, source, n}, elements);
}

// By magnitudes, in the width in which the machine divides fastest: no machine here has vectors
// that divide integers.
template <class T, class Unsigned>
void divide_by(std::byte* target, const std::byte* source, std::size_t elements, Unsigned n) {
  for (std::size_t i = 0; i < elements; ++i) {
    const T value = read<T>(source + i * sizeof(T));
    const bool negative = value < 0;
    const auto magnitude = negative ? Unsigned(0) - Unsigned(value) : Unsigned(value);
    const auto quotient = static_cast<Unsigned>(magnitude / n);
    const T result = static_cast<T>(negative ? Unsigned(0) - quotient : quotient);
    std::memcpy(target + i * sizeof(T), &result, sizeof(T));
  }
}

template <class T>
void divide_integer(std::byte* target, const std::byte* source, std::size_t elements,
                    const void* parameter) {
  const u64 n = read<u64>(parameter);
  if constexpr (sizeof(T) <= 4) {
    // No magnitude is above 2^32 - 1, and that of the least i32 is below it: the quotient is 0.
    if (n <= 0xffffffff) return divide_by<T, u32>(target, source, elements, u32(n));
  }
  divide_by<T, u64>(target, source, elements, n);
}

template <class Format>
struct WidenStep {
  using From = typename Format::Tag;
  using To = typename Format::template Wide<From>;
  std::byte* target;
  const std::byte* source;

  HWY_INLINE std::size_t width() const { return hn::Lanes(To()); }
  HWY_INLINE hn::Vec<To> compute(std::size_t lane) const {
    const auto from = source + lane * sizeof(typename Format::Lane);
    return quiet(To(), Format::template load<0>(From(), from));
  }
  HWY_INLINE void put(hn::Vec<To> result, std::size_t lane) const {
    store_lanes(To(), result, target + lane * sizeof(float));
  }
};

template <class Format>
struct NarrowStep {
  using To = typename Format::Tag;
  using From = typename Format::template Wide<To>;
  std::byte* target;
  const std::byte* source;

  HWY_INLINE std::size_t width() const { return hn::Lanes(From()); }
  HWY_INLINE hn::Vec<To> compute(std::size_t lane) const {
    return Format::finish(To(), load_lanes(From(), source + lane * sizeof(float)));
  }
  HWY_INLINE void put(hn::Vec<To> result, std::size_t lane) const {
    store_lanes(To(), result, target + lane * sizeof(typename Format::Lane));
  }
};

template <class Format>
void widen_all(std::byte* target, const std::byte* source, std::size_t elements, const void*) {
  run(WidenStep<Format>{target, source}, elements);
}

template <class Format>
void narrow_all(std::byte* target, const std::byte* source, std::size_t elements, const void*) {
  run(NarrowStep<Format>{target, source}, elements);
}

MapFunction choose_multiply(DataType type) {
  switch (type) {
    case DataType::int8:
    case DataType::uint8: return multiply_by<Prod<u8>>;
    case DataType::int16:
    case DataType::uint16: return multiply_by<Prod<u16>>;
    case DataType::int32:
    case DataType::uint32: return multiply_by<Prod<u32>>;
    case DataType::int64:
    case DataType::uint64: return multiply_by<Prod<u64>>;
    case DataType::float32: return multiply_by<Prod<float>>;
    case DataType::float64: return multiply_by<Prod<double>>;
    case DataType::float16: return multiply_by<NarrowProd<Float16>>;
    case DataType::bfloat16: return multiply_by<NarrowProd<Bfloat16>>;
    case DataType::float8_e4m3: return multiply_by<NarrowProd<Float8E4m3>>;
    case DataType::float8_e5m2: return multiply_by<NarrowProd<Float8E5m2>>;
    default: return nullptr;
  }
}

MapFunction choose_divide(DataType type) {
  switch (type) {
    case DataType::int8: return divide_integer<std::int8_t>;
    case DataType::uint8: return divide_integer<u8>;
    case DataType::int16: return divide_integer<std::int16_t>;
    case DataType::uint16: return divide_integer<u16>;
    case DataType::int32: return divide_integer<i32>;
    case DataType::uint32: return divide_integer<u32>;
    case DataType::int64: return divide_integer<i64>;
    case DataType::uint64: return divide_integer<u64>;
    case DataType::float32: return divide_float<Arithmetic<float>, float>;
    case DataType::float64: return divide_float<Arithmetic<double>, double>;
    case DataType::float16: return divide_float<Float16, float>;
    case DataType::bfloat16: return divide_float<Bfloat16, float>;
    case DataType::float8_e4m3: return divide_float<Float8E4m3, float>;
    case DataType::float8_e5m2: return divide_float<Float8E5m2, float>;
    default: return nullptr;
  }
}

MapFunction choose_widen(DataType type) {
  switch (type) {
    case DataType::float16: return widen_all<Float16>;
    case DataType::bfloat16: return widen_all<Bfloat16Single>;
    case DataType::float8_e4m3: return widen_all<Float8E4m3>;
    case DataType::float8_e5m2: return widen_all<Float8E5m2>;
    default: return nullptr;
  }
}

MapFunction choose_narrow(DataType type) {
  switch (type) {
    case DataType::float16: return narrow_all<Float16>;
    case DataType::bfloat16: return narrow_all<Bfloat16Single>;
    case DataType::float8_e4m3: return narrow_all<Float8E4m3>;
    case DataType::float8_e5m2: return narrow_all<Float8E5m2>;
    default: return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::host
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::host {

HWY_EXPORT(choose_multiply);
HWY_EXPORT(choose_divide);
HWY_EXPORT(choose_widen);
HWY_EXPORT(choose_narrow);

MapFunction multiply(DataType type) { return HWY_DYNAMIC_DISPATCH(choose_multiply)(type); }
MapFunction divide(DataType type) { return HWY_DYNAMIC_DISPATCH(choose_divide)(type); }
MapFunction widen(DataType type) { return HWY_DYNAMIC_DISPATCH(choose_widen)(type); }
MapFunction narrow(DataType type) { return HWY_DYNAMIC_DISPATCH(choose_narrow)(type); }

}  // namespace weft::host
#endif
