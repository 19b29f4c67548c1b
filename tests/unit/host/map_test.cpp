// Scaling, averages and changes of width: every number of elements, any address, in place.
#include "intranode/host/map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iostream>

#include "tests/unit/host/instruction_sets.hpp"
#include "tests/unit/host/values.hpp"

namespace weft::host::test {
namespace {

constexpr std::byte untouched{0xa5};

bool is_number(DataType type) {
  return family_of(type) == Family::integer || family_of(type) == Family::floating;
}

// Runs a map from and to `offset` bytes after an aligned address, and checks every byte around.
void check(MapFunction map, const Bytes& values, const Bytes& wanted, std::size_t elements,
           const void* parameter, std::size_t offset, bool in_place) {
  Bytes source(values.size() + 160, untouched), target(wanted.size() + 160, untouched);
  const std::size_t from = 64 + offset, to = in_place ? from : 64 + (offset * 5 + 3) % 16;
  std::copy(values.begin(), values.end(), source.begin() + std::ptrdiff_t(from));
  Bytes source_wanted = source, target_wanted = target;
  std::copy(wanted.begin(), wanted.end(), target_wanted.begin() + std::ptrdiff_t(to));
  if (in_place) {
    map(source.data() + from, source.data() + from, elements, parameter);
    ASSERT_EQ(source, target_wanted);
  } else {
    map(target.data() + to, source.data() + from, elements, parameter);
    ASSERT_EQ(target, target_wanted);
    ASSERT_EQ(source, source_wanted);
  }
}

class Map : public testing::TestWithParam<i64> {
 protected:
  void SetUp() override { std::cout << "seed " << seed_ << '\n'; }

  u64 seed_ = std::random_device{}();
  std::mt19937_64 random_{seed_};
  Pool pool_{random_};
  InstructionSet set_{GetParam()};
};

constexpr std::size_t counts[] = {0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 1000};

TEST_P(Map, AFunctionForNumbersAndNarrowFloatsAlone) {
  for (DataType type : all_types) {
    EXPECT_EQ(multiply(type) != nullptr, is_number(type)) << name_of(type);
    EXPECT_EQ(divide(type) != nullptr, is_number(type)) << name_of(type);
    EXPECT_EQ(widen(type) != nullptr, is_narrow(type)) << name_of(type);
    EXPECT_EQ(narrow(type) != nullptr, is_narrow(type)) << name_of(type);
  }
}

TEST_P(Map, Multiply) {
  for (DataType type : all_types) {
    if (!is_number(type)) continue;
    const std::size_t size = bytes_of(type);
    const Bytes palette = palette_of(type);
    for (std::size_t elements : counts) {
      for (std::size_t offset = 0; offset < 16; ++offset) {
        const Bytes values = pool_.operand(type, pool_.any_mood(), elements);
        const std::size_t pick = random_() % (palette.size() / size) * size;
        Bytes scalar(palette.begin() + std::ptrdiff_t(pick),
                     palette.begin() + std::ptrdiff_t(pick + size));
        if (offset % 2 == 0) scalar = pool_.operand(type, Mood::calm, 1);
        SCOPED_TRACE(testing::Message() << name_of(type) << ' ' << elements << ' ' << offset);
        check(multiply(type), values, expected_product(type, values, scalar), elements,
              scalar.data(), offset, random_() % 2 == 0);
      }
    }
  }
}

TEST_P(Map, Divide) {
  const u64 divisors[] = {1,
                          2,
                          3,
                          7,
                          8,
                          127,
                          128,
                          129,
                          255,
                          256,
                          1000,
                          32768,
                          65535,
                          65536,
                          16'777'217,
                          0x7fffffff,
                          0x80000000,
                          0xffffffff,
                          0x100000000,
                          0x7fffffffffffffff,
                          0x8000000000000000,
                          0xffffffffffffffff};
  for (DataType type : all_types) {
    if (!is_number(type)) continue;
    for (u64 n : divisors) {
      for (std::size_t elements : counts) {
        Bytes values = pool_.operand(type, pool_.any_mood(), elements);
        const Bytes palette = palette_of(type);
        if (palette.size() <= values.size()) {
          std::copy(palette.begin(), palette.end(), values.begin());
        }
        std::byte unaligned[9];
        std::memcpy(unaligned + 1, &n, sizeof n);
        SCOPED_TRACE(testing::Message() << name_of(type) << ' ' << elements << " by " << n);
        check(divide(type), values, expected_quotient(type, values, n), elements, unaligned + 1,
              random_() % 16, random_() % 2 == 0);
      }
    }
  }
}

// What the values must be is in narrow_test.cpp; here, that number and place do not matter.
TEST_P(Map, WidenAndNarrowAnyNumberAnywhere) {
  for (DataType type : all_types) {
    if (!is_narrow(type)) continue;
    for (std::size_t elements : counts) {
      for (std::size_t offset = 0; offset < 16; ++offset) {
        const Bytes values = pool_.operand(type, Mood::calm, elements);
        Bytes wide(elements * sizeof(float));
        for (std::size_t i = 0; i < elements; ++i) {
          widen(type)(&wide[i * sizeof(float)], &values[i * bytes_of(type)], 1, nullptr);
        }
        SCOPED_TRACE(testing::Message() << name_of(type) << ' ' << elements << ' ' << offset);
        check(widen(type), values, wide, elements, nullptr, offset, false);
        check(narrow(type), wide, values, elements, nullptr, offset, false);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Host, Map, testing::ValuesIn(instruction_sets()),
                         [](const auto& set) { return hwy::TargetName(set.param); });

}  // namespace
}  // namespace weft::host::test
