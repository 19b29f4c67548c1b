// Loops over whole vectors, compiled once for each instruction set.
//
// A kernel is a struct of static functions:
//
//   Lane, parts          what a vector holds in memory; how many trees run side by side (1 or 2)
//   Tag                  of a vector of lanes as it lies in memory
//   load<part>(d, from)  a vector in the form in which nodes are computed
//   node(d, left, right) one node of the tree, perhaps not rounded yet
//   settle(d, value)     what a node hands on to the next: rounded
//   finish(d, root...)   the result as it lies in memory, one root a part
//   Often                a type, if 3 and 8 operands are worth code of their own; 2 and 4 always
//   are
//
// Included again and again, each time inside another target namespace of Highway; the toggle below
// takes the place of an include guard. Threads: pure functions.
#if defined(WEFT_HOST_KERNEL_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_HOST_KERNEL_TOGGLE
#undef WEFT_HOST_KERNEL_TOGGLE
#else
#define WEFT_HOST_KERNEL_TOGGLE
#endif

#include <hwy/highway.h>

#include <array>
#include <bit>
#include <cstring>

#include "base/datatype.hpp"
#include "intranode/host/tree.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::host {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <std::size_t count>
using Operands = std::array<const std::byte*, count>;

// Vectors load from any address; a single element must be copied, because reading it through a
// misaligned pointer to its type is undefined.
template <class D>
HWY_INLINE hn::Vec<D> load_lanes(D d, const std::byte* from) {
  using T = hn::TFromD<D>;
  if constexpr (hn::MaxLanes(D()) == 1) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return hn::Set(d, value);
  } else {
    return hn::LoadU(d, reinterpret_cast<const T*>(from));
  }
}

template <class D>
HWY_INLINE void store_lanes(D d, hn::Vec<D> vector, std::byte* to) {
  using T = hn::TFromD<D>;
  if constexpr (hn::MaxLanes(D()) == 1) {
    const T value = hn::GetLane(vector);
    std::memcpy(to, &value, sizeof value);
  } else {
    hn::StoreU(vector, d, reinterpret_cast<T*>(to));
  }
}

// What most kernels have in common: lanes of memory are what nodes are computed on.
template <class T>
struct Whole {
  using Lane = T;
  using Tag = hn::ScalableTag<T>;
  static constexpr int parts = 1;
  template <int part, class D>
  static HWY_INLINE hn::Vec<D> load(D d, const std::byte* from) {
    return load_lanes(d, from);
  }
  template <class D, class V>
  static HWY_INLINE V settle(D, V value) {
    return value;
  }
  template <class D, class V>
  static HWY_INLINE V finish(D, V value) {
    return value;
  }
};

template <class Kernel, int part, std::size_t first, std::size_t count, class D, std::size_t all>
HWY_INLINE auto tree(D d, const Operands<all>& from, std::size_t at) {
  if constexpr (count == 1) {
    return Kernel::template load<part>(d, from[first] + at);
  } else {
    constexpr std::size_t left = std::bit_floor(count - 1);
    auto a = tree<Kernel, part, first, left>(d, from, at);
    if constexpr (left > 1) a = Kernel::settle(d, a);
    auto b = tree<Kernel, part, first + left, count - left>(d, from, at);
    if constexpr (count - left > 1) b = Kernel::settle(d, b);
    return Kernel::node(d, a, b);
  }
}

// Runs a step over `lanes` lanes, at least one vector, in ascending order, which is what makes the
// processor fetch ahead. The last vector overlaps the one before it, so a tail runs at the speed of
// the body. It is computed before that one is stored: the target may be an operand, which must be
// read before it is overwritten.
template <class Step>
HWY_INLINE void sweep(const Step& step, std::size_t lanes) {
  const std::size_t width = step.width(), last = lanes - width;
  std::size_t at = 0;
  for (; at + width < last; at += width) step.put(step.compute(at), at);
  const auto before = step.compute(at), tail = step.compute(last);
  step.put(before, at);
  step.put(tail, last);
}

template <class Kernel, std::size_t count>
struct TreeStep {
  using D = typename Kernel::Tag;
  Operands<count> from;  // a copy, which no store into the target can change
  std::byte* target;

  HWY_INLINE std::size_t width() const { return hn::Lanes(D()); }
  HWY_INLINE hn::Vec<D> compute(std::size_t lane) const {
    const D d;
    const std::size_t at = lane * sizeof(typename Kernel::Lane);
    const auto root = tree<Kernel, 0, 0, count>(d, from, at);
    if constexpr (Kernel::parts == 1) {
      return Kernel::finish(d, root);
    } else {
      return Kernel::finish(d, root, tree<Kernel, 1, 0, count>(d, from, at));
    }
  }
  HWY_INLINE void put(hn::Vec<D> result, std::size_t lane) const {
    store_lanes(D(), result, target + lane * sizeof(typename Kernel::Lane));
  }
};

// Room for a vector, where less than one is copied to be worked on.
template <class D>
struct Pad {
  alignas(cache_line_bytes) std::byte bytes[hn::MaxLanes(D()) * sizeof(hn::TFromD<D>)];
  HWY_INLINE void fill(const std::byte* from, std::size_t some) {
    store_lanes(D(), hn::Zero(D()), bytes);
    std::memcpy(bytes, from, some);
  }
};

template <class Kernel, std::size_t count>
void group(std::byte* target, const std::byte* const* operands, std::size_t offset,
           std::size_t bytes) {
  using D = typename Kernel::Tag;
  TreeStep<Kernel, count> step;
  step.target = target;
  for (std::size_t i = 0; i < count; ++i) step.from[i] = operands[i] + offset;
  const std::size_t lanes = bytes / sizeof(typename Kernel::Lane);
  if (lanes >= step.width()) return sweep(step, lanes);
  Pad<D> pads[count];
  for (std::size_t i = 0; i < count; ++i) {
    pads[i].fill(step.from[i], bytes);
    step.from[i] = pads[i].bytes;
  }
  store_lanes(D(), step.compute(0), pads[0].bytes);
  std::memcpy(target, pads[0].bytes, bytes);
}

template <class Kernel>
constexpr Groups groups_of() {
  Groups groups{.two = group<Kernel, 2>, .four = group<Kernel, 4>};
  if constexpr (requires { typename Kernel::Often; }) {
    groups.three = group<Kernel, 3>;
    groups.eight = group<Kernel, 8>;
  }
  return groups;
}

// `element_bytes` differs from a lane's where an operator looks at bits or bytes alone.
template <class Kernel, std::size_t element_bytes = sizeof(typename Kernel::Lane)>
void reduce(std::byte* target, const std::byte* const* operands, std::size_t count,
            std::size_t elements, const void* /* the operator has no context */) {
  static constexpr Groups groups = groups_of<Kernel>();
  reduce_by_groups(groups, element_bytes, target, operands, count, elements * element_bytes);
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::host
HWY_AFTER_NAMESPACE();

#endif
