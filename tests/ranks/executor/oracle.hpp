// What a collective must give, computed from its definition, one element at a time.
//
// Written from the rules (architecture of the canonical tree, MPI's and NCCL's definitions of the
// collectives), without the kernels, schedules or partitions under test. Exact: bits are compared.
#pragma once
#include <array>
#include <cstring>
#include <functional>
#include <vector>

#include "base/datatype.hpp"
#include "base/result.hpp"
#include "schedule/collective.hpp"
#include "schedule/shape.hpp"

namespace weft::oracle {

using Bytes = std::vector<std::byte>;

// Groups of ranks: combined within each by the canonical tree, then over the groups by it. One
// group for the order `canonical`, one a node for `shape`.
using Groups = std::vector<std::vector<u32>>;

// A float32 that is rounded after every operation: the nearest that 16 bits hold, ties to even.
struct Narrow {
  u16 bits = 0;
  static Narrow of(float value) {
    u32 whole;
    std::memcpy(&whole, &value, sizeof whole);
    const u32 rest = whole % 0x10000;
    whole /= 0x10000;
    if (rest > 0x8000 || (rest == 0x8000 && whole % 2)) ++whole;
    return {u16(whole)};
  }
  float value() const {
    const u32 whole = u32{bits} << 16;
    float value;
    std::memcpy(&value, &whole, sizeof value);
    return value;
  }
};

template <class T>
T combine_two(T a, T b, Op op) {
  if constexpr (std::is_same_v<T, Narrow>)
    return Narrow::of(combine_two(a.value(), b.value(), op));
  else if (op == Op::min)
    return b < a ? b : a;
  else if (op == Op::max)
    return a < b ? b : a;
  else if constexpr (std::is_integral_v<T>)
    return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
  else
    return a + b;
}

template <class T>
T times(T value, u32 multiplier) {
  if constexpr (std::is_same_v<T, Narrow>)
    return Narrow::of(value.value() * float(multiplier));
  else if constexpr (std::is_integral_v<T>)
    return T(u32(value) * multiplier);
  else
    return value * T(multiplier);
}

// C(0, n): the left part is the largest power of two below n.
template <class T>
T tree(const std::vector<T>& values, Op op) {
  if (values.size() == 1) return values[0];
  std::size_t left = 1;
  while (left * 2 < values.size()) left *= 2;
  return combine_two(tree(std::vector<T>(values.begin(), values.begin() + long(left)), op),
                     tree(std::vector<T>(values.begin() + long(left), values.end()), op), op);
}

template <class T>
T reduce_element(const std::vector<Bytes>& inputs, std::size_t i, Op op, const Groups& groups,
                 u32 multiplier) {
  std::vector<T> partials;
  for (const auto& group : groups) {
    std::vector<T> values;
    for (const u32 rank : group) {
      T value;
      std::memcpy(&value, inputs[rank].data() + i * sizeof(T), sizeof(T));
      values.push_back(times(value, multiplier));
    }
    partials.push_back(tree(values, op));
  }
  return tree(partials, op);
}

// One rounding at the end: the sum in float32 of what bfloat16 holds.
inline Narrow reduce_wide(const std::vector<Bytes>& inputs, std::size_t i, Op op,
                          const Groups& groups) {
  std::vector<Bytes> element(inputs.size(), Bytes(sizeof(float)));
  for (std::size_t rank = 0; rank < inputs.size(); ++rank) {
    Narrow narrow;
    std::memcpy(&narrow, inputs[rank].data() + i * sizeof narrow, sizeof narrow);
    const float value = narrow.value();
    std::memcpy(element[rank].data(), &value, sizeof value);
  }
  return Narrow::of(reduce_element<float>(element, 0, op, groups, 1));
}

// The vector that all-reduce gives to all, and reduce-scatter block by block.
inline Bytes reduced(const std::vector<Bytes>& inputs, DataType type, Op op, const Groups& groups,
                     bool wide, u32 multiplier) {
  Bytes result(inputs[0].size());
  const std::size_t size = bytes_of(type);
  for (std::size_t i = 0; i < result.size() / size; ++i) {
    const auto keep = [&](auto value) { std::memcpy(result.data() + i * size, &value, size); };
    if (wide) {
      keep(reduce_wide(inputs, i, op, groups));
      continue;
    }
    switch (type) {
      case DataType::uint8: keep(reduce_element<u8>(inputs, i, op, groups, multiplier)); break;
      case DataType::int32: keep(reduce_element<i32>(inputs, i, op, groups, multiplier)); break;
      case DataType::float32: keep(reduce_element<float>(inputs, i, op, groups, multiplier)); break;
      case DataType::bfloat16:
        keep(reduce_element<Narrow>(inputs, i, op, groups, multiplier));
        break;
      case DataType::float64:
        keep(reduce_element<double>(inputs, i, op, groups, multiplier));
        break;
      default: WEFT_ASSERT(!"a type this oracle knows");
    }
  }
  return result;
}

// An element that holds a small whole number.
inline std::array<std::byte, 8> scalar_of(DataType type, u32 value) {
  std::array<std::byte, 8> bytes{};
  const auto keep = [&](auto v) { std::memcpy(bytes.data(), &v, sizeof v); };
  switch (type) {
    case DataType::float32: keep(float(value)); break;
    case DataType::float64: keep(double(value)); break;
    case DataType::bfloat16: keep(Narrow::of(float(value))); break;
    default: keep(value); break;  // little endian: the low bytes are the number
  }
  return bytes;
}

inline Groups one_group(u32 ranks) {
  Groups groups(1);
  for (u32 r = 0; r < ranks; ++r) groups[0].push_back(r);
  return groups;
}
inline Groups by_node(const schedule::Shape& shape) {
  Groups groups;
  u32 seat = 0;
  for (const u32 size : shape.size) {
    auto& group = groups.emplace_back();
    for (u32 i = 0; i < size; ++i) group.push_back(shape.rank_at(seat++));
  }
  return groups;
}

}  // namespace weft::oracle
