// Narrow floats in all their codes: what they mean, how float32 is rounded to them, and every
// operation on two of them, or a large sample where there are too many.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <iostream>
#include <limits>

#include "intranode/host/map.hpp"
#include "tests/unit/host/instruction_sets.hpp"
#include "tests/unit/host/narrow_oracle.hpp"
#include "tests/unit/host/values.hpp"

namespace weft::host::test {
namespace {

constexpr DataType narrow_types[] = {DataType::float16, DataType::bfloat16, DataType::float8_e4m3,
                                     DataType::float8_e5m2};

void put(Bytes& bytes, u32 code, std::size_t size) {  // little endian
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(std::byte(code >> (8 * i)));
}

u32 bits_of(float value) {
  u32 bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float float_of(u32 bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

u32 codes_of(DataType type) { return 1u << (8 * bytes_of(type)); }

// The oracle itself, where the formats' papers give a number.
TEST(Narrow, TheOracleKnowsTheFormats) {
  EXPECT_EQ(decode(DataType::float16, 0x7bff), 65504);
  EXPECT_EQ(decode(DataType::float16, 0x0001), 0x1p-24);
  EXPECT_EQ(decode(DataType::float16, 0xbc00), -1);
  EXPECT_EQ(decode(DataType::bfloat16, 0x7f7f), 0x1.fep127);
  EXPECT_EQ(decode(DataType::bfloat16, 0x0001), 0x1p-133);
  EXPECT_EQ(decode(DataType::float8_e4m3, 0x7e), 448);
  EXPECT_EQ(decode(DataType::float8_e4m3, 0x01), 0x1p-9);
  EXPECT_TRUE(std::isnan(decode(DataType::float8_e4m3, 0xff)));
  EXPECT_EQ(decode(DataType::float8_e5m2, 0x7b), 57344);
  EXPECT_EQ(decode(DataType::float8_e5m2, 0xfc), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(decode(DataType::float8_e5m2, 0x01), 0x1p-16);

  EXPECT_EQ(encode(DataType::float16, 65519.996), 0x7bffu);
  EXPECT_EQ(encode(DataType::float16, -65520), 0xfc00u);
  EXPECT_EQ(encode(DataType::float8_e4m3, 464), 0x7eu) << "half-way, to even";
  EXPECT_EQ(encode(DataType::float8_e4m3, -465), 0x7fu) << "overflow is NaN, without a sign";
  EXPECT_EQ(encode(DataType::float8_e5m2, 61440), 0x7cu);
  EXPECT_EQ(encode(DataType::bfloat16, 0x1.01p0), 0x3f80u) << "half-way, to even";
  EXPECT_EQ(encode(DataType::bfloat16, 0x1.03p0), 0x3f82u) << "half-way, to even";
  EXPECT_EQ(encode(DataType::float8_e5m2, -0x1p-17), 0x80u);
}

TEST(Narrow, WidenIsExactForEveryCode) {
  for (DataType type : narrow_types) {
    SCOPED_TRACE(name_of(type));
    Bytes codes;
    std::vector<u32> wanted;
    for (u32 code = 0; code < codes_of(type); ++code) {
      put(codes, code, bytes_of(type));
      const auto value = float(decode(type, code));
      wanted.push_back(std::isnan(value) ? 0x7fc00000 : bits_of(value));
    }
    on_every_instruction_set([&] {
      std::vector<u32> got(wanted.size());
      widen(type)(reinterpret_cast<std::byte*>(got.data()), codes.data(), got.size(), nullptr);
      EXPECT_EQ(got, wanted);
    });
  }
}

// Every number, every middle between two and what lies beside these, both signs; NaNs, infinities,
// and float32s of every exponent.
std::vector<float> hard_to_round(DataType type) {
  std::vector<float> values;
  const std::vector<double>& table = magnitudes(type);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double to_next = i + 1 < table.size() ? table[i + 1] : 2 * table[i] - table[i - 1];
    for (double exact : {table[i], (table[i] + to_next) / 2}) {
      const auto value = float(exact);  // exact but for bfloat16's number past the last: infinity
      values.push_back(value);
      values.push_back(std::nextafter(value, 0.0f));
      values.push_back(std::nextafter(value, std::numeric_limits<float>::infinity()));
    }
  }
  for (u32 exponent = 0; exponent < 256; ++exponent) {
    for (u32 fraction : {0u, 1u, 0x1000u, 0x8000u, 0x18000u, 0x3fffffu, 0x400000u, 0x7fffffu}) {
      values.push_back(float_of(exponent << 23 | fraction));  // NaNs with payloads among them
    }
  }
  const std::size_t positive = values.size();
  for (std::size_t i = 0; i < positive; ++i) {
    values.push_back(float_of(bits_of(values[i]) ^ 0x80000000));
  }
  return values;
}

TEST(Narrow, NarrowRoundsToNearestEven) {
  for (DataType type : narrow_types) {
    SCOPED_TRACE(name_of(type));
    const std::vector<float> values = hard_to_round(type);
    Bytes wanted;
    for (float value : values) put(wanted, encode(type, value), bytes_of(type));
    on_every_instruction_set([&] {
      Bytes got(wanted.size());
      narrow(type)(got.data(), reinterpret_cast<const std::byte*>(values.data()), values.size(),
                   nullptr);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t at = i * bytes_of(type);
        ASSERT_EQ(std::memcmp(&got[at], &wanted[at], bytes_of(type)), 0)
            << "pattern " << std::hex << bits_of(values[i]);
      }
    });
  }
}

void check_pairs(DataType type, const Bytes& left, const Bytes& right) {
  for (Op op : {Op::sum, Op::prod, Op::min, Op::max}) {
    SCOPED_TRACE(testing::Message() << name_of(type) << ' ' << name_of(op));
    const Bytes wanted = expected(type, op, {left, right});
    on_every_instruction_set([&] {
      const std::byte* sides[] = {left.data(), right.data()};
      Bytes got(left.size());
      reduce_function(type, op)(got.data(), sides, 2, got.size() / bytes_of(type), nullptr);
      for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i], wanted[i]) << "element " << i / bytes_of(type);
      }
    });
  }
}

TEST(Narrow, EveryPairOfBytes) {
  for (DataType type : {DataType::float8_e4m3, DataType::float8_e5m2}) {
    Bytes left, right;
    for (u32 pair = 0; pair < 65536; ++pair) {
      put(left, pair, 1);
      put(right, pair >> 8, 1);
    }
    check_pairs(type, left, right);
  }
}

// Any codes, and codes with exponents near each other, where sums are rounded in many ways.
TEST(Narrow, RandomPairsOf16Bits) {
  const u64 seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  std::mt19937_64 random(seed);
  for (DataType type : {DataType::float16, DataType::bfloat16}) {
    Bytes left, right;
    const int mantissa = format_of(type).mantissa_bits;
    for (int i = 0; i < 1'000'000; ++i) {
      const u64 bits = random();
      const u32 a = u32(bits) & 0xffff, near = (u32(bits >> 32) & 15) << mantissa;
      put(left, a, 2);
      put(right, i % 4 == 0 ? u32(bits >> 48) : (a + near) ^ (u32(bits >> 48) & 0x807f), 2);
    }
    check_pairs(type, left, right);
  }
}

}  // namespace
}  // namespace weft::host::test
