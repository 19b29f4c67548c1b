#include "perf/peers/pair/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "perf/peers/pair/kernels.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace weft::perf::pair {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Vectors = hn::ScalableTag<float>;
using Single = hn::CappedTag<float, 1>;

// Streaming stores take whole aligned vectors; what is before and after them goes through the
// cache.
template <Store store, class D>
HWY_INLINE void put(D d, hn::Vec<D> value, float* to) {
  if constexpr (store == Store::streaming)
    hn::Stream(value, d, to);
  else
    hn::StoreU(value, d, to);
}

struct Copy {
  float* to;
  const float* from;
  float* aligned() const { return to; }
  template <Store store, class D>
  HWY_INLINE void at(D d, std::size_t i) const {
    put<store>(d, hn::LoadU(d, from + i), to + i);
  }
};

struct Add {
  float* to;
  const float *a, *b;
  float* aligned() const { return to; }
  template <Store store, class D>
  HWY_INLINE void at(D d, std::size_t i) const {
    put<store>(d, hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), to + i);
  }
};

// The store asked for is the first target's; the second has its own.
template <Store of_second>
struct AddTwice {
  float *first, *second;
  const float *a, *b;
  float* aligned() const { return of_second == Store::streaming ? second : first; }
  template <Store store, class D>
  HWY_INLINE void at(D d, std::size_t i) const {
    constexpr bool single = std::is_same_v<D, Single>;
    const auto sum = hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
    put<store>(d, sum, first + i);
    put<single ? Store::cached : of_second>(d, sum, second + i);
  }
};

// Elements before the first whole vector of the target.
HWY_INLINE std::size_t head_of(const float* to) {
  const std::size_t width = hn::Lanes(Vectors());
  return (width - reinterpret_cast<std::uintptr_t>(to) / sizeof(float) % width) % width;
}

// Four vectors a turn keep enough lines on their way to fill what a core may have in flight.
template <Store store, class Step>
HWY_INLINE void sweep(const Step& step, std::size_t count) {
  const Vectors d;
  const Single one;
  const std::size_t width = hn::Lanes(d), head = head_of(step.aligned());
  std::size_t i = 0;
  for (; i < head && i < count; ++i) step.template at<Store::cached>(one, i);
  for (; i + 4 * width <= count; i += 4 * width) {
    step.template at<store>(d, i);
    step.template at<store>(d, i + width);
    step.template at<store>(d, i + 2 * width);
    step.template at<store>(d, i + 3 * width);
  }
  for (; i + width <= count; i += width) step.template at<store>(d, i);
  for (; i < count; ++i) step.template at<Store::cached>(one, i);
}

// Streaming stores pass later ones, so a fence stands between them and the flag that announces
// them.
template <class Step>
void sweep_and_fence(const Step& step, std::size_t count, Store store) {
  if (store == Store::cached) return sweep<Store::cached>(step, count);
  sweep<Store::streaming>(step, count);
  hwy::FlushStream();
}

void copy_impl(float* to, const float* from, std::size_t count, Store store) {
  sweep_and_fence(Copy{to, from}, count, store);
}

void add_impl(float* to, const float* a, const float* b, std::size_t count, Store store) {
  sweep_and_fence(Add{to, a, b}, count, store);
}

void add_twice_impl(Target first, Target second, const float* a, const float* b,
                    std::size_t count) {
  // Two streams need the same alignment.
  if (head_of(first.to) != head_of(second.to)) first.store = second.store = Store::cached;
  if (second.store == Store::cached)
    return sweep_and_fence(AddTwice<Store::cached>{first.to, second.to, a, b}, count, first.store);
  const AddTwice<Store::streaming> step{first.to, second.to, a, b};
  if (first.store == Store::cached)
    sweep<Store::cached>(step, count);
  else
    sweep<Store::streaming>(step, count);
  hwy::FlushStream();
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::perf::pair
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::perf::pair {

HWY_EXPORT(copy_impl);
HWY_EXPORT(add_impl);
HWY_EXPORT(add_twice_impl);

void copy(float* to, const float* from, std::size_t count, Store store) {
  HWY_DYNAMIC_DISPATCH(copy_impl)(to, from, count, store);
}

void add(float* to, const float* a, const float* b, std::size_t count, Store store) {
  HWY_DYNAMIC_DISPATCH(add_impl)(to, a, b, count, store);
}

void add(Target first, Target second, const float* a, const float* b, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(add_twice_impl)(first, second, a, b, count);
}

}  // namespace weft::perf::pair
#endif
