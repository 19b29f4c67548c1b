// Operators through the C API: averages, pre-multiplied sums, a user's own, wide partial results,
// indices of extremes. Expected values are worked out from the rules in weft.h.
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/ranks/api/ranks.hpp"

namespace weft::testing {
namespace {

std::string error_text(weft_result_t result) {
  return std::string(weft_result_name(result)) + ": " + weft_last_error();
}

// ---- averages: the sum, then one division

TEST(Average, DividesTheSumOnceWithEveryTail) {
  for (const int ranks : {1, 2, 3, 10})
    run_ranks(ranks, {}, [&](int rank, weft_comm_t comm) {
      for (std::size_t count = 1; count <= 17; ++count) {
        std::vector<float> in(count), out(count, -1);
        std::vector<std::int32_t> whole(count), means(count, -1);
        for (std::size_t i = 0; i < count; ++i) {
          in[i] = float(rank + 1) + float(i);
          whole[i] = -(rank + 1) * int(i + 1);
        }
        weft_result_t result =
            weft_all_reduce(in.data(), out.data(), count, weft_float32, weft_avg, comm, nullptr);
        ASSERT_EQ(result, weft_ok) << error_text(result);
        result =
            weft_all_reduce(whole.data(), means.data(), count, weft_int32, weft_avg, comm, nullptr);
        ASSERT_EQ(result, weft_ok) << error_text(result);
        for (std::size_t i = 0; i < count; ++i) {
          float sum = 0;
          for (int r = 0; r < ranks; ++r) sum += float(r + 1) + float(i);  // exact
          EXPECT_EQ(out[i], sum / float(ranks));
          const int total = -ranks * (ranks + 1) / 2 * int(i + 1);
          EXPECT_EQ(means[i], total / ranks);  // towards zero
        }
      }
    });
}

TEST(Average, OverflowsWhereTheSumDoes) {
  for (const int ranks : {1, 2, 3, 10})
    run_ranks(ranks, {}, [&](int, weft_comm_t comm) {
      const float largest = std::numeric_limits<float>::max();
      float mean = 0;
      ASSERT_EQ(weft_all_reduce(&largest, &mean, 1, weft_float32, weft_avg, comm, nullptr),
                weft_ok);
      EXPECT_EQ(mean, ranks == 1 ? largest : std::numeric_limits<float>::infinity());
      const std::uint16_t half_largest = 0x7bff;  // 65504
      std::uint16_t half_mean = 0;
      ASSERT_EQ(
          weft_all_reduce(&half_largest, &half_mean, 1, weft_float16, weft_avg, comm, nullptr),
          weft_ok);
      EXPECT_EQ(half_mean, ranks == 1 ? half_largest : 0x7c00);
      // Wide partial results have room for the sum: its average is a number again.
      ASSERT_EQ(
          weft_all_reduce(&half_largest, &half_mean, 1, weft_float16, weft_avg_wide, comm, nullptr),
          weft_ok);
      EXPECT_EQ(half_mean, half_largest);
    });
}

TEST(Average, OfBlocksInPlaceLeavesTheOtherBlocksAlone) {
  run_ranks(3, {.nodes = nodes("aab")}, [&](int rank, weft_comm_t comm) {
    std::vector<double> all(3 * 1001);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = double(rank * 3) + double(i);
    const auto before = all;
    double* const mine = all.data() + rank * 1001;
    ASSERT_EQ(weft_reduce_scatter(all.data(), mine, 1001, weft_float64, weft_avg, comm, nullptr),
              weft_ok)
        << weft_last_error();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_mine = i / 1001 == std::size_t(rank);
      ASSERT_EQ(all[i], is_mine ? (9 + 3 * double(i)) / 3 : before[i]) << i;
    }
  });
}

// ---- wide partial results: one rounding, at the end

TEST(Wide, RoundsOnce) {
  // 256 + 1 + 1 in bfloat16 (8 bits): each addition alone is lost, both together are not.
  for (const char* letters : {"aaa", "aab", "abc"})
    run_ranks(3, {.nodes = nodes(letters)}, [&](int rank, weft_comm_t comm) {
      const std::size_t count = 5001;
      std::vector<std::uint16_t> in(count, rank == 0 ? 0x4380 : 0x3f80), out(count);
      const auto before = in;
      ASSERT_EQ(
          weft_all_reduce(in.data(), out.data(), count, weft_bfloat16, weft_sum, comm, nullptr),
          weft_ok);
      for (const auto value : out) ASSERT_EQ(value, 0x4380);
      ASSERT_EQ(weft_all_reduce(in.data(), out.data(), count, weft_bfloat16, weft_sum_wide, comm,
                                nullptr),
                weft_ok)
          << weft_last_error();
      for (const auto value : out) ASSERT_EQ(value, 0x4381);
      EXPECT_EQ(in, before);
      std::vector<std::uint16_t> block(count / 3);
      ASSERT_EQ(weft_reduce_scatter(in.data(), in.data() + rank * (count / 3), count / 3,
                                    weft_bfloat16, weft_sum_wide, comm, nullptr),
                weft_ok);
      for (std::size_t i = 0; i < count / 3; ++i)
        ASSERT_EQ(in[std::size_t(rank) * (count / 3) + i], 0x4381);
    });
}

// ---- pre-multiplied sums

TEST(PremultipliedSum, HasAScalarOfEachRank) {
  for (const char* letters : {"aaa", "aab"})
    run_ranks(3, {.nodes = nodes(letters)}, [&](int rank, weft_comm_t comm) {
      const float scalar = float(rank + 1) / 2;
      weft_op_t op = weft_sum;
      ASSERT_EQ(weft_op_create_premul_sum(&op, &scalar, weft_float32, comm), weft_ok);
      const std::size_t count = 3000;
      std::vector<float> in(count), out(count);
      for (std::size_t i = 0; i < count; ++i) in[i] = float(i % 7) + float(rank);
      const auto before = in;
      const auto want = [&](std::size_t i) {
        float sum = 0;
        for (int r = 0; r < 3; ++r) sum += (float(i % 7) + float(r)) * (float(r + 1) / 2);  // exact
        return sum;
      };
      ASSERT_EQ(weft_all_reduce(in.data(), out.data(), count, weft_float32, op, comm, nullptr),
                weft_ok)
          << weft_last_error();
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(out[i], want(i));
      EXPECT_EQ(in, before);  // the input is multiplied on its way only
      std::vector<float> block(count / 3);
      ASSERT_EQ(
          weft_reduce_scatter(in.data(), block.data(), count / 3, weft_float32, op, comm, nullptr),
          weft_ok);
      for (std::size_t i = 0; i < block.size(); ++i)
        ASSERT_EQ(block[i], want(i + std::size_t(rank) * block.size()));
      ASSERT_EQ(weft_all_reduce(in.data(), in.data(), count, weft_float32, op, comm, nullptr),
                weft_ok);
      EXPECT_EQ(in, out);
      // Made for floats: with anything else it is refused, and nothing is poisoned.
      EXPECT_EQ(weft_all_reduce(in.data(), out.data(), 1, weft_int32, op, comm, nullptr),
                weft_invalid_argument);
      EXPECT_EQ(weft_op_destroy(op, comm), weft_ok);
      EXPECT_EQ(weft_op_destroy(op, comm), weft_invalid_argument);
      EXPECT_EQ(weft_all_reduce(in.data(), out.data(), 1, weft_float32, op, comm, nullptr),
                weft_invalid_argument);
      EXPECT_EQ(state_of(comm), weft_ok);
    });
}

// ---- a user's operator

// x -> a x + b, composed: associative, and the order of operands matters. Wraps, so it is exact.
struct Affine {
  std::uint32_t a, b;
  bool operator==(const Affine&) const = default;
};
static_assert(sizeof(Affine) == 8);

Affine compose(Affine left, Affine right) { return {left.a * right.a, left.b * right.a + right.b}; }

void compose_all(const void* left, const void* right, void* result, size_t count,
                 weft_datatype_t type, void* context) {
  EXPECT_EQ(type, weft_uint64);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(left) % 8, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(right) % 8, 0u);
  ++*static_cast<int*>(context);
  const auto* a = static_cast<const Affine*>(left);
  const auto* b = static_cast<const Affine*>(right);
  auto* to = static_cast<Affine*>(result);
  for (size_t i = 0; i < count; ++i) to[i] = compose(a[i], b[i]);
}

Affine affine_of(int rank, std::size_t i) {
  return {std::uint32_t(rank * 2 + 3), std::uint32_t(i * 11 + std::size_t(rank) + 1)};
}

class UserOperator : public ::testing::TestWithParam<const char*> {};

TEST_P(UserOperator, SeesOperandsInTheOrderOfRanks) {
  const std::string letters = GetParam();
  const int ranks = int(letters.size());
  for (const char* order : {"auto", "fast"})
    run_ranks(
        ranks, {.nodes = nodes(letters.c_str()), .order = order}, [&](int rank, weft_comm_t comm) {
          int calls = 0;
          weft_op_t op = weft_sum;
          ASSERT_EQ(weft_op_create(&op, compose_all, &calls, 0, comm), weft_ok);
          for (const std::size_t count : {std::size_t(0), std::size_t(1), std::size_t(5003)}) {
            std::vector<std::byte> room(count * 8 + 1);  // nothing is aligned
            std::vector<Affine> out(count);
            for (std::size_t i = 0; i < count; ++i) {
              const Affine mine = affine_of(rank, i);
              std::memcpy(room.data() + 1 + i * 8, &mine, 8);
            }
            ASSERT_EQ(
                weft_all_reduce(room.data() + 1, out.data(), count, weft_uint64, op, comm, nullptr),
                weft_ok)
                << weft_last_error();
            for (std::size_t i = 0; i < count; ++i) {
              Affine want = affine_of(0, i);
              for (int r = 1; r < ranks; ++r) want = compose(want, affine_of(r, i));
              ASSERT_EQ(out[i], want) << "element " << i << " order " << order;
            }
          }
          EXPECT_EQ(weft_op_destroy(op, comm), weft_ok);
        });
}

INSTANTIATE_TEST_SUITE_P(Nodes, UserOperator,
                         ::testing::Values("a", "aaaaa", "aabb", "aaabb", "abab", "abcde"));

// ---- extremes and where they are

TEST(Location, IsTheLowestIndexThatHasTheExtreme) {
  struct Pair {
    double value;
    std::int32_t index;
  };
  run_ranks(4, {.nodes = nodes("aabb")}, [&](int rank, weft_comm_t comm) {
    std::vector<Pair> in(1003), out(1003);
    std::memset(static_cast<void*>(in.data()), 0, in.size() * sizeof(Pair));
    for (std::size_t i = 0; i < in.size(); ++i)
      in[i].value = double((std::size_t(rank) + i) % 3), in[i].index = 10 + rank;
    ASSERT_EQ(weft_all_reduce(in.data(), out.data(), in.size(), weft_float64_int32, weft_maxloc,
                              comm, nullptr),
              weft_ok)
        << weft_last_error();
    for (std::size_t i = 0; i < out.size(); ++i) {
      EXPECT_EQ(out[i].value, 2);
      int first = 0;
      while ((std::size_t(first) + i) % 3 != 2) ++first;
      EXPECT_EQ(out[i].index, 10 + first);
    }
  });
}

TEST(Operator, ThatMeansNothingForATypeIsRefused) {
  run_ranks(2, {}, [&](int, weft_comm_t comm) {
    double in[2] = {}, out[2] = {};
    for (int type = weft_int8; type <= weft_int64_int32; ++type)
      for (int op = weft_sum; op <= weft_avg_wide; ++op) {
        const auto t = weft_datatype_t(type);
        const auto o = weft_op_t(op);
        const weft_result_t result = weft_all_reduce(in, out, 1, t, o, comm, nullptr);
        EXPECT_EQ(result, weft_reduces(t, o) ? weft_ok : weft_invalid_argument)
            << "type " << type << " operator " << op << ": " << weft_last_error();
      }
    EXPECT_EQ(state_of(comm), weft_ok);
  });
}

}  // namespace
}  // namespace weft::testing
