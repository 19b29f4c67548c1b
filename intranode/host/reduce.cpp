// The canonical tree over any number of operands. Up to four operands, and eight, are combined in
// registers, straight from memory to memory. Other numbers are cut into such groups: partial
// results of one tile at a time wait in the first-level cache, so that main memory still sees each
// operand read once and the target written once.
#include "intranode/host/reduce.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "intranode/host/reduce.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "intranode/host/operators_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::host {
namespace HWY_NAMESPACE {

// Few enough for several levels of partial results to share a 32 KiB cache with the operands.
constexpr std::size_t tile_bytes = 4096;

template <std::size_t count>
using Operands = std::array<const std::byte*, count>;

// Vectors load from any address; a single element must be copied, because reading it through a
// misaligned pointer to its type is undefined.
template <class D>
HWY_INLINE hn::Vec<D> load(D d, const std::byte* from) {
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
HWY_INLINE void store(D d, hn::Vec<D> vector, std::byte* to) {
  using T = hn::TFromD<D>;
  if constexpr (hn::MaxLanes(D()) == 1) {
    const T value = hn::GetLane(vector);
    std::memcpy(to, &value, sizeof value);
  } else {
    hn::StoreU(vector, d, reinterpret_cast<T*>(to));
  }
}

template <std::size_t first, std::size_t count, class Operator, class D, std::size_t all>
HWY_INLINE hn::Vec<D> tree(D d, const Operands<all>& from, std::size_t at) {
  if constexpr (count == 1) {
    return load(d, from[first] + at);
  } else {
    constexpr std::size_t left = std::bit_floor(count - 1);
    return Operator()(d, tree<first, left, Operator>(d, from, at),
                      tree<first + left, count - left, Operator>(d, from, at));
  }
}

// False if there is less than one vector. The last vector overlaps the one before it, so a tail
// runs at the speed of the body. It is computed first: the target may be an operand, which must be
// read before it is overwritten.
template <class Operator, class D, std::size_t count>
HWY_INLINE bool vectors(D d, std::byte* target, const Operands<count>& from, std::size_t bytes) {
  const std::size_t step = hn::Lanes(d) * sizeof(hn::TFromD<D>);
  if (bytes < step) return false;
  const std::size_t last = bytes - step;
  const auto tail = tree<0, count, Operator>(d, from, last);
  for (std::size_t at = 0; at < last; at += step) {
    store(d, tree<0, count, Operator>(d, from, at), target + at);
  }
  store(d, tail, target + last);
  return true;
}

template <class T, class Operator, std::size_t count>
void in_registers(std::byte* target, const std::byte* const* operands, std::size_t offset,
                  std::size_t bytes) {
  Operands<count> from;  // a copy, which no store into the target can change
  for (std::size_t i = 0; i < count; ++i) from[i] = operands[i] + offset;
  vectors<Operator>(hn::ScalableTag<T>(), target, from, bytes) ||
      vectors<Operator>(hn::CappedTag<T, 16 / sizeof(T)>(), target, from, bytes) ||
      vectors<Operator>(hn::CappedTag<T, 1>(), target, from, bytes);
}

// False for a number of operands that has no code of its own.
template <class T, class Operator>
bool group(std::byte* target, const std::byte* const* operands, std::size_t count,
           std::size_t offset, std::size_t bytes) {
  switch (count) {
    case 2: in_registers<T, Operator, 2>(target, operands, offset, bytes); return true;
    case 3: in_registers<T, Operator, 3>(target, operands, offset, bytes); return true;
    case 4: in_registers<T, Operator, 4>(target, operands, offset, bytes); return true;
    case 8: in_registers<T, Operator, 8>(target, operands, offset, bytes); return true;
    default: return false;
  }
}

// The target is written last, when all of its tile has been read from every operand of the left
// side: it may be one of them. On the right side the same holds one level down.
template <class T, class Operator>
void tile(std::byte* target, const std::byte* const* operands, std::size_t count,
          std::size_t offset, std::size_t bytes) {
  if (group<T, Operator>(target, operands, count, offset, bytes)) return;
  alignas(cache_line_bytes) std::byte partial[tile_bytes];
  const std::size_t left = std::bit_floor(count - 1);
  const std::size_t right = count - left;
  tile<T, Operator>(partial, operands, left, offset, bytes);
  const std::byte* other = operands[left] + offset;
  if (right > 1) {
    tile<T, Operator>(target, operands + left, right, offset, bytes);
    other = target;
  }
  const std::byte* const sides[] = {partial, other};
  in_registers<T, Operator, 2>(target, sides, 0, bytes);
}

template <class T, class Operator>
void reduce(std::byte* target, const std::byte* const* operands, std::size_t count,
            std::size_t elements, const void* /* the operator has no context */) {
  const std::size_t bytes = elements * sizeof(T);
  if (bytes == 0) return;
  if (count == 1) {
    if (target != operands[0]) std::memcpy(target, operands[0], bytes);
    return;
  }
  if (group<T, Operator>(target, operands, count, 0, bytes)) return;
  for (std::size_t at = 0; at < bytes; at += tile_bytes) {
    tile<T, Operator>(target + at, operands, count, at, std::min(tile_bytes, bytes - at));
  }
}

template <class T>
ReduceFunction choose_operator(Op op) {
  switch (op) {
    case Op::sum: return reduce<T, Sum>;
    case Op::min: return reduce<T, Min>;
    case Op::max: return reduce<T, Max>;
    default: return nullptr;
  }
  return nullptr;
}

ReduceFunction choose(DataType type, Op op) {
  switch (type) {
    case DataType::uint8: return choose_operator<u8>(op);
    case DataType::int32: return choose_operator<i32>(op);
    case DataType::float32: return choose_operator<float>(op);
    case DataType::float64: return choose_operator<double>(op);
    default: return nullptr;
  }
  return nullptr;
}

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace weft::host
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::host {

HWY_EXPORT(choose);
HWY_EXPORT(target_name);

ReduceFunction reduce_function(DataType type, Op op) {
  return HWY_DYNAMIC_DISPATCH(choose)(type, op);
}

const char* instruction_set() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace weft::host
#endif
