// What a collective must give, computed from its definition, one element at a time.
//
// Written from the rules (architecture of the canonical tree, MPI's and NCCL's definitions of the
// collectives), without the kernels, schedules or partitions under test. Exact: bits are compared.
#pragma once
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

template <class T>
T combine_two(T a, T b, Op op) {
  if (op == Op::min) return b < a ? b : a;
  if (op == Op::max) return a < b ? b : a;
  if constexpr (std::is_integral_v<T>)
    return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
  else
    return a + b;
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
void reduce_element(const std::vector<Bytes>& inputs, std::size_t i, Op op, const Groups& groups,
                    std::byte* to) {
  std::vector<T> partials;
  for (const auto& group : groups) {
    std::vector<T> values;
    for (const u32 rank : group) {
      T value;
      std::memcpy(&value, inputs[rank].data() + i * sizeof(T), sizeof(T));
      values.push_back(value);
    }
    partials.push_back(tree(values, op));
  }
  const T result = tree(partials, op);
  std::memcpy(to, &result, sizeof(T));
}

// The vector that all-reduce gives to all, and reduce-scatter block by block.
inline Bytes reduced(const std::vector<Bytes>& inputs, DataType type, Op op, const Groups& groups) {
  Bytes result(inputs[0].size());
  const std::size_t size = bytes_of(type);
  for (std::size_t i = 0; i < result.size() / size; ++i) {
    std::byte* const to = result.data() + i * size;
    switch (type) {
      case DataType::uint8: reduce_element<u8>(inputs, i, op, groups, to); break;
      case DataType::int32: reduce_element<i32>(inputs, i, op, groups, to); break;
      case DataType::float32: reduce_element<float>(inputs, i, op, groups, to); break;
      case DataType::float64: reduce_element<double>(inputs, i, op, groups, to); break;
      default: WEFT_ASSERT(!"a type this oracle knows");
    }
  }
  return result;
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
