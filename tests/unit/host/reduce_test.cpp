// Every kernel against the oracle, bit for bit, on every instruction set this machine has.
#include "intranode/host/reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iostream>

#include "tests/unit/host/instruction_sets.hpp"
#include "tests/unit/host/values.hpp"

namespace weft::host::test {
namespace {

constexpr int of_its_own = -1;
constexpr std::byte untouched{0xa5};

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
  const Mood mood = pool.any_mood();
  for (std::size_t k = 0; k < c.operands; ++k) {
    values.push_back(pool.operand(type, mood, c.elements));
  }
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

template <class Body>
void for_all_kernels(Body body) {
  for (DataType type : all_types) {
    for (Op op : all_ops) {
      if (supports(type, op) && op != Op::avg) body(type, op);  // avg: has sum's function
    }
  }
}

class Reduce : public testing::TestWithParam<i64> {
 protected:
  void SetUp() override { std::cout << "seed " << seed_ << '\n'; }

  u64 seed_ = std::random_device{}();
  std::mt19937_64 random_{seed_};
  Pool pool_{random_};
  InstructionSet set_{GetParam()};
};

TEST_P(Reduce, AFunctionForWhatIsSupportedAlone) {
  for (DataType type : all_types) {
    for (Op op : all_ops) {
      EXPECT_EQ(reduce_function(type, op) != nullptr, supports(type, op))
          << name_of(type) << ' ' << name_of(op);
    }
    if (supports(type, Op::avg)) {
      EXPECT_EQ(reduce_function(type, Op::avg), reduce_function(type, Op::sum)) << name_of(type);
    }
  }
}

TEST_P(Reduce, AnyNumberOfOperandsAndElements) {
  for_all_kernels([&](DataType type, Op op) {
    for (int operands : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17}) {
      for (std::size_t elements : {0, 1, 2, 15, 16, 17, 63, 64, 65}) {
        for (int target : {of_its_own, 0, operands - 1}) {
          check(type, op, {std::size_t(operands), elements, random_() % 16, target}, pool_);
        }
      }
    }
  });
}

// One operand count and one offset each, at random, of what the test above does not reach.
TEST_P(Reduce, ManyVectorsAndTiles) {
  for_all_kernels([&](DataType type, Op op) {
    for (std::size_t elements : {1000, 4099}) {
      for (int operands : {2, int(3 + random_() % 7)}) {
        const int target = int(random_() % std::size_t(operands + 1)) - 1;
        check(type, op, {std::size_t(operands), elements, random_() % 16, target}, pool_);
      }
    }
  });
  check(DataType::float64, Op::sum, {13, 5'001, 4}, pool_);
  check(DataType::bfloat16, Op::sum, {17, 9'001, 3}, pool_);
  check(DataType::float32, Op::sum, {3, 1'000'003, 4}, pool_);
  check(DataType::uint8, Op::max, {2, 1'000'003, 3}, pool_);
}

TEST_P(Reduce, AnyAlignment) {
  for_all_kernels([&](DataType type, Op op) {
    for (std::size_t offset = 0; offset < 16; ++offset) {
      const std::size_t operands = 2 + random_() % 4;
      for (std::size_t elements : {3, 65, 200}) {
        check(type, op, {operands, elements, offset}, pool_);
      }
    }
  });
}

TEST_P(Reduce, TargetMayBeAnyOperand) {
  for_all_kernels([&](DataType type, Op op) {
    for (int operands : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17}) {
      for (int target = 0; target < operands; ++target) {
        for (std::size_t elements : {5, 65}) {
          check(type, op, {std::size_t(operands), elements, 1, target}, pool_);
        }
      }
    }
  });
}

TEST_P(Reduce, DeepTree) {
  check(DataType::float32, Op::sum, {300, 1'100, 0}, pool_);
  check(DataType::float16, Op::sum, {300, 1'100, 0}, pool_);
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

INSTANTIATE_TEST_SUITE_P(Host, Reduce, testing::ValuesIn(instruction_sets()),
                         [](const auto& set) { return hwy::TargetName(set.param); });

}  // namespace
}  // namespace weft::host::test
