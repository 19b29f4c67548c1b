// One reference for the bits of sums, written from the definition of the canonical tree: float32
// and bfloat16 with a rounding at every node, and no line in common with kernels or schedules.
#pragma once
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace weft::testing {

using Vector = std::vector<float>;  // bfloat16 values are floats whose low half is empty

// The nearest number that bfloat16 has; of two that are as near, the one with an even last bit.
inline float to_bfloat16(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t low = bits & 0xffff, half = 0x8000;
  bits -= low;
  if (low > half || (low == half && (bits & 0x10000))) bits += 0x10000;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

// C(first, first + count) of one element: the left part is the largest power of two below count.
inline float tree(const std::vector<Vector>& inputs, const std::vector<int>& ranks,
                  std::size_t first, std::size_t count, std::size_t element, bool narrow) {
  if (count == 1) return inputs[std::size_t(ranks[first])][element];
  std::size_t left = 1;
  while (left * 2 < count) left *= 2;
  const float sum = tree(inputs, ranks, first, left, element, narrow) +
                    tree(inputs, ranks, first + left, count - left, element, narrow);
  return narrow ? to_bfloat16(sum) : sum;
}

// The tree over nodes of the trees within nodes; `nodes` has a letter a rank: "aab".
inline float tree_of_shape(const std::vector<Vector>& inputs, const std::string& nodes,
                           std::size_t element, bool narrow) {
  std::string seen;
  std::vector<Vector> partials;
  for (const char node : nodes) {
    if (seen.find(node) != seen.npos) continue;
    seen += node;
    std::vector<int> members;
    for (std::size_t r = 0; r < nodes.size(); ++r)
      if (nodes[r] == node) members.push_back(int(r));
    partials.push_back({tree(inputs, members, 0, members.size(), element, narrow)});
  }
  std::vector<int> all;
  for (std::size_t n = 0; n < partials.size(); ++n) all.push_back(int(n));
  return tree(partials, all, 0, all.size(), 0, narrow);
}

// Numbers of very different sizes and both signs: sums that cancel show every change of order.
inline std::vector<Vector> cancelling(std::size_t ranks, std::size_t count, bool narrow,
                                      std::uint64_t seed) {
  std::mt19937_64 dice(seed);
  std::vector<Vector> inputs(ranks, Vector(count));
  for (Vector& input : inputs)
    for (float& value : input) {
      const int mantissa = int(dice() % 4001) - 2000, exponent = int(dice() % 21) - 10;
      value = std::ldexp(float(mantissa), exponent);
      if (narrow) value = to_bfloat16(value);
    }
  // Every rank but the first also takes back what the one before has, now and then.
  for (std::size_t r = 1; r < ranks; ++r)
    for (std::size_t i = r; i < count; i += 3) inputs[r][i] = -inputs[r - 1][i];
  return inputs;
}

}  // namespace weft::testing
