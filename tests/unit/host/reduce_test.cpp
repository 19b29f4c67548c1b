// Every kernel against the oracle, bit for bit, on every instruction set this machine has.
#include "intranode/host/reduce.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <tuple>

#include "tests/unit/host/oracle.hpp"

namespace weft::host::test {
namespace {

constexpr int of_its_own = -1;
constexpr std::byte untouched{0xa5};

// Finite and infinite, tiny and huge values whose sums depend on the order, NaNs with payloads.
template <class F>
Bytes float_palette() {
  using Limits = std::numeric_limits<F>;
  const F big = F(1) / Limits::epsilon();
  F values[] = {F(0),
                -F(0),
                F(1),
                F(-1),
                F(0.1),
                big,
                -big,
                big + 1,
                Limits::max(),
                Limits::lowest(),
                Limits::min(),
                Limits::denorm_min(),
                -Limits::denorm_min(),
                Limits::infinity(),
                -Limits::infinity(),
                Limits::quiet_NaN(),
                -Limits::quiet_NaN(),
                Limits::quiet_NaN()};
  Bytes bytes(sizeof values);
  std::memcpy(bytes.data(), values, sizeof values);
  bytes[sizeof values - sizeof(F)] = std::byte(0x5a);  // a payload (little endian)
  return bytes;
}

template <class T>
Bytes integer_palette() {
  const T values[] = {T(0),
                      T(1),
                      T(2),
                      T(-1),
                      std::numeric_limits<T>::max(),
                      std::numeric_limits<T>::min(),
                      T(std::numeric_limits<T>::max() / 2 + 1)};
  Bytes bytes(sizeof values);
  std::memcpy(bytes.data(), values, sizeof values);
  return bytes;
}

Bytes palette_of(DataType type) {
  switch (type) {
    case DataType::uint8: return integer_palette<u8>();
    case DataType::int32: return integer_palette<i32>();
    case DataType::float32: return float_palette<float>();
    case DataType::float64: return float_palette<double>();
  }
  return {};
}

// Half awkward values, half numbers in [-2, 2) or, for integers, any bits.
Bytes random_values(DataType type, std::size_t elements, std::mt19937_64& random) {
  const std::size_t size = bytes_of(type);
  const Bytes palette = palette_of(type);
  Bytes bytes(elements * size);
  for (std::size_t i = 0; i < elements; ++i) {
    std::byte* to = bytes.data() + i * size;
    const u64 bits = random();
    if (bits % 2 == 0) {
      std::memcpy(to, &palette[(bits / 2) % (palette.size() / size) * size], size);
    } else if (type == DataType::float32) {
      const float value = std::ldexp(float(i64(bits)), -62);
      std::memcpy(to, &value, size);
    } else if (type == DataType::float64) {
      const double value = std::ldexp(double(i64(bits)), -62);
      std::memcpy(to, &value, size);
    } else {
      std::memcpy(to, reinterpret_cast<const std::byte*>(&bits) + 4, size);
    }
  }
  return bytes;
}

// Random values, read again and again from random places: quick also under sanitizers.
class Pool {
 public:
  explicit Pool(std::mt19937_64& random) : random_(random) {
    for (DataType type : all_types) values_.push_back(random_values(type, elements, random));
  }
  Bytes operand(DataType type, std::size_t count) {
    const Bytes& from = values_[std::size_t(type)];
    Bytes bytes(count * bytes_of(type));
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t start = random_() % elements * bytes_of(type);
      const std::size_t part = std::min(bytes.size() - at, from.size() - start);
      std::memcpy(bytes.data() + at, from.data() + start, part);
      at += part;
    }
    return bytes;
  }

 private:
  static constexpr std::size_t elements = 5003;
  std::mt19937_64& random_;
  std::vector<Bytes> values_;
};

struct Case {
  std::size_t operands = 2, elements = 1, offset = 0;
  int target = of_its_own;  // a buffer, or the operand that is the target
};

// Runs one kernel on copies that lie `offset` bytes after an aligned address, and checks that the
// result is right, that nothing beside it was written, and that the operands are as before.
void check(DataType type, Op op, const Case& c, Pool& pool) {
  SCOPED_TRACE(testing::Message() << name_of(type) << ' ' << name_of(op) << ", " << c.operands
                                  << " operands, " << c.elements << " elements, offset " << c.offset
                                  << ", target " << c.target);
  std::vector<Bytes> values;
  for (std::size_t k = 0; k < c.operands; ++k) { values.push_back(pool.operand(type, c.elements)); }
  const std::size_t bytes = c.elements * bytes_of(type);
  const auto at = [&](std::size_t k) { return 64 + (c.offset + 3 * k * (c.offset != 0)) % 16; };
  std::vector<Bytes> places(c.operands + 1, Bytes(bytes + 160, untouched));
  std::vector<const std::byte*> pointers;
  for (std::size_t k = 0; k < c.operands; ++k) {
    std::copy(values[k].begin(), values[k].end(), places[k].begin() + std::ptrdiff_t(at(k)));
    pointers.push_back(places[k].data() + at(k));
  }
  const std::size_t target = c.target == of_its_own ? c.operands : std::size_t(c.target);
  reduce_function(type, op)(places[target].data() + at(target), pointers.data(), c.operands,
                            c.elements, nullptr);

  std::vector<Bytes> wanted = values;
  wanted.resize(c.operands + 1, Bytes(bytes, untouched));
  wanted[target] = expected(type, op, values);
  for (std::size_t k = 0; k <= c.operands; ++k) {
    Bytes whole(bytes + 160, untouched);
    std::copy(wanted[k].begin(), wanted[k].end(), whole.begin() + std::ptrdiff_t(at(k)));
    if (std::memcmp(whole.data(), places[k].data(), whole.size()) == 0) continue;
    const auto differ = std::mismatch(whole.begin(), whole.end(), places[k].begin()).first;
    FAIL() << (k == target ? "target" : "operand") << " place " << k << " is wrong at byte "
           << (differ - whole.begin()) - i64(at(k)) << " of " << bytes;
  }
}

// One instance an instruction set, so that a machine's fallbacks are tested too.
class Reduce : public testing::TestWithParam<i64> {
 protected:
  void SetUp() override {
    hwy::SetSupportedTargetsForTest(GetParam());
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    ASSERT_STREQ(instruction_set(), hwy::TargetName(GetParam()));
    std::cout << "seed " << seed_ << '\n';
  }
  void TearDown() override {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  template <class Body>
  void for_all_kernels(Body body) {
    for (DataType type : all_types) {
      for (Op op : all_ops) body(type, op);
    }
  }

  u64 seed_ = std::random_device{}();
  std::mt19937_64 random_{seed_};
  Pool pool_{random_};
};

TEST_P(Reduce, AnyNumberOfOperandsAndElements) {
  for_all_kernels([&](DataType type, Op op) {
    for (std::size_t operands : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17}) {
      for (std::size_t elements : {0, 1, 2, 3, 7, 15, 16, 17, 63, 64, 65, 1000}) {
        check(type, op, {operands, elements}, pool_);
      }
    }
  });
}

TEST_P(Reduce, AnyAlignment) {
  for_all_kernels([&](DataType type, Op op) {
    for (std::size_t offset = 1; offset < 16; ++offset) {
      for (std::size_t operands : {1, 2, 5, 8}) {
        for (std::size_t elements : {1, 3, 17, 65, 200}) {
          check(type, op, {operands, elements, offset}, pool_);
        }
      }
    }
  });
}

TEST_P(Reduce, TargetMayBeAnyOperand) {
  for_all_kernels([&](DataType type, Op op) {
    for (int operands : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17}) {
      for (int target = 0; target < operands; ++target) {
        for (std::size_t elements : {1, 5, 17, 65}) {
          check(type, op, {std::size_t(operands), elements, 1, target}, pool_);
        }
      }
    }
  });
}

TEST_P(Reduce, ManyTiles) {
  for_all_kernels([&](DataType type, Op op) {
    for (std::size_t operands : {2, 5}) {
      check(type, op, {operands, 5'001, 5, int(operands) - 1}, pool_);
    }
  });
  check(DataType::float64, Op::sum, {13, 5'001, 4}, pool_);
  check(DataType::float32, Op::sum, {3, 1'000'003, 4}, pool_);
  check(DataType::uint8, Op::max, {2, 1'000'003, 3}, pool_);
}

TEST_P(Reduce, DeepTree) {
  check(DataType::float32, Op::sum, {300, 1'100, 0}, pool_);
  check(DataType::float64, Op::min, {511, 70, 0, 300}, pool_);
}

// Every pair of awkward values, as whole vectors and as the odd element at the end.
TEST_P(Reduce, AwkwardPairs) {
  for_all_kernels([&](DataType type, Op op) {
    const std::size_t size = bytes_of(type);
    const Bytes palette = palette_of(type);
    std::vector<Bytes> sides(2);
    for (std::size_t a = 0; a < palette.size(); a += size) {
      for (std::size_t b = 0; b < palette.size(); b += size) {
        sides[0].insert(sides[0].end(), &palette[a], &palette[a] + size);
        sides[1].insert(sides[1].end(), &palette[b], &palette[b] + size);
      }
    }
    const std::byte* pointers[] = {sides[0].data(), sides[1].data()};
    Bytes whole(sides[0].size());
    reduce_function(type, op)(whole.data(), pointers, 2, whole.size() / size, nullptr);
    EXPECT_EQ(whole, expected(type, op, sides)) << name_of(type) << ' ' << name_of(op);

    Bytes single(whole.size());
    for (std::size_t at = 0; at < whole.size(); at += size) {
      const std::byte* one[] = {pointers[0] + at, pointers[1] + at};
      reduce_function(type, op)(single.data() + at, one, 2, 1, nullptr);
    }
    EXPECT_EQ(single, whole) << name_of(type) << ' ' << name_of(op);
  });
}

std::vector<i64> instruction_sets() {
  hwy::SetSupportedTargetsForTest(0);
  return hwy::SupportedAndGeneratedTargets();
}

INSTANTIATE_TEST_SUITE_P(Host, Reduce, testing::ValuesIn(instruction_sets()),
                         [](const auto& set) { return hwy::TargetName(set.param); });

}  // namespace
}  // namespace weft::host::test
