#include "perf/data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace weft::perf {
namespace {

constexpr int rank_counts[] = {1, 2, 3, 5, 7, 8, 11, 16};

template <class T>
struct TypeOf;
template <>
struct TypeOf<std::uint8_t> : std::integral_constant<weft_datatype_t, weft_uint8> {};
template <>
struct TypeOf<std::int32_t> : std::integral_constant<weft_datatype_t, weft_int32> {};
template <>
struct TypeOf<float> : std::integral_constant<weft_datatype_t, weft_float32> {};
template <>
struct TypeOf<double> : std::integral_constant<weft_datatype_t, weft_float64> {};

template <class T>
std::vector<T> contribution(const DataKey& key, int rank, std::size_t first, std::size_t count) {
  std::vector<T> values(count);
  fill_contribution(key, rank, first, count, reinterpret_cast<std::byte*>(values.data()));
  return values;
}

template <class T>
std::size_t wrong(const DataKey& key, std::size_t first, const std::vector<T>& results) {
  return wrong_reductions(key, first, results.size(),
                          reinterpret_cast<const std::byte*>(results.data()));
}

template <class T>
T combine(weft_op_t op, T a, T b) {
  if (op == weft_sum) return static_cast<T>(a + b);
  return op == weft_min ? std::min(a, b) : std::max(a, b);
}

template <class T>
class Reductions : public testing::Test {
 protected:
  static DataKey key(weft_op_t op, int ranks, std::uint64_t seed = 7) {
    return {
        .type = TypeOf<T>::value, .op = op, .ranks = ranks, .seed = seed, .inputs = Inputs::exact};
  }
  // Combined in the given order of ranks, one after the other.
  static std::vector<T> reduced(const DataKey& key, const std::vector<int>& order,
                                std::size_t first, std::size_t count) {
    std::vector<T> result = contribution<T>(key, order[0], first, count);
    for (std::size_t r = 1; r < order.size(); ++r) {
      const std::vector<T> next = contribution<T>(key, order[r], first, count);
      for (std::size_t i = 0; i < count; ++i) result[i] = combine(key.op, result[i], next[i]);
    }
    return result;
  }
};
using Types = testing::Types<std::uint8_t, std::int32_t, float, double>;
TYPED_TEST_SUITE(Reductions, Types);

TYPED_TEST(Reductions, AnyOrderGivesTheExpectedBits) {
  std::mt19937 random(1);
  for (int ranks : rank_counts) {
    std::vector<int> order(ranks);
    std::iota(order.begin(), order.end(), 0);
    for (weft_op_t op : {weft_sum, weft_min, weft_max}) {
      const DataKey key = this->key(op, ranks);
      for (int i = 0; i < 3; ++i, std::shuffle(order.begin(), order.end(), random))
        EXPECT_EQ(wrong(key, 13, this->reduced(key, order, 13, 501)), 0u) << ranks << " " << op;
    }
  }
}

// Halves first instead of a chain: partial sums of a tree are exact as well.
TYPED_TEST(Reductions, ManyRanksStayExact) {
  const int ranks = 4099;
  const DataKey key = this->key(weft_sum, ranks);
  std::vector<std::vector<TypeParam>> partial;
  for (int r = 0; r < ranks; ++r) partial.push_back(contribution<TypeParam>(key, r, 0, 16));
  while (partial.size() > 1) {
    const std::vector<TypeParam> last = std::move(partial.back());
    partial.pop_back();
    std::vector<TypeParam>& other = partial[partial.size() / 2];
    for (std::size_t i = 0; i < 16; ++i) other[i] = static_cast<TypeParam>(other[i] + last[i]);
  }
  EXPECT_EQ(wrong(key, 0, partial[0]), 0u);
}

TYPED_TEST(Reductions, ASingleFlippedBitIsFound) {
  for (weft_op_t op : {weft_sum, weft_min, weft_max}) {
    const DataKey key = this->key(op, 3);
    std::vector<TypeParam> result = this->reduced(key, {0, 1, 2}, 0, 9);
    for (std::size_t bit = 0; bit < result.size() * sizeof(TypeParam) * 8; ++bit) {
      auto* bytes = reinterpret_cast<unsigned char*>(result.data());
      bytes[bit / 8] ^= static_cast<unsigned char>(1 << bit % 8);
      EXPECT_EQ(wrong(key, 0, result), 1u) << "bit " << bit;
      bytes[bit / 8] ^= static_cast<unsigned char>(1 << bit % 8);
    }
  }
}

TYPED_TEST(Reductions, ARankLeftOutOrTakenTwiceIsFoundEverywhere) {
  const DataKey key = this->key(weft_sum, 5);
  EXPECT_EQ(wrong(key, 0, this->reduced(key, {0, 1, 3, 4}, 0, 200)), 200u);
  EXPECT_EQ(wrong(key, 0, this->reduced(key, {0, 1, 2, 3, 4, 2}, 0, 200)), 200u);
}

TYPED_TEST(Reductions, OtherPlacesAndOtherSeedsAreFoundNearlyEverywhere) {
  const DataKey key = this->key(weft_sum, 4), other = this->key(weft_sum, 4, 8);
  EXPECT_GT(wrong(key, 1, this->reduced(key, {0, 1, 2, 3}, 0, 1000)), 950u);
  EXPECT_GT(wrong(key, 0, this->reduced(other, {0, 1, 2, 3}, 0, 1000)), 950u);
  EXPECT_GT(wrong(key, 0, std::vector<TypeParam>(1000)), 950u);
}

TYPED_TEST(Reductions, ElementsDependOnTheirIndexNotOnWhereTheFillBegan) {
  const DataKey key = this->key(weft_sum, 4);
  const auto whole = contribution<TypeParam>(key, 2, 0, 100);
  const auto part = contribution<TypeParam>(key, 2, 40, 60);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 40));
}

TYPED_TEST(Reductions, BuffersMayHaveAnyAlignment) {
  const DataKey key = this->key(weft_sum, 1);
  for (std::size_t offset = 0; offset < 16; ++offset) {
    std::vector<std::byte> memory(11 * sizeof(TypeParam) + 16);
    fill_contribution(key, 0, 0, 11, memory.data() + offset);
    EXPECT_EQ(wrong_reductions(key, 0, 11, memory.data() + offset), 0u);
  }
}

TYPED_TEST(Reductions, StreamsDifferByRankAndAnyBitIsFound) {
  const DataKey key = this->key(weft_sum, 2);
  std::vector<TypeParam> stream(7);
  auto* bytes = reinterpret_cast<std::byte*>(stream.data());
  fill_stream(key, 1, stream.size(), bytes);
  EXPECT_EQ(wrong_in_stream(key, 1, stream.size(), bytes), 0u);
  EXPECT_GT(wrong_in_stream(key, 0, stream.size(), bytes), 4u);
  for (std::size_t bit = 0; bit < stream.size() * sizeof(TypeParam) * 8; ++bit) {
    bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    EXPECT_EQ(wrong_in_stream(key, 1, stream.size(), bytes), 1u) << "bit " << bit;
    bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
  }
}

// The digest's inputs must show the order of sums, or equal digests would say nothing.
TEST(OrderInputs, SumsDependOnTheirOrder) {
  const DataKey key = {
      .type = weft_float32, .op = weft_sum, .ranks = 3, .seed = 1, .inputs = Inputs::order};
  const auto a = contribution<float>(key, 0, 0, 1000), b = contribution<float>(key, 1, 0, 1000),
             c = contribution<float>(key, 2, 0, 1000);
  int differing = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    differing += (a[i] + b[i]) + c[i] != a[i] + (b[i] + c[i]);
  EXPECT_GT(differing, 200);
}

}  // namespace
}  // namespace weft::perf
