// The exact check of reductions: every tree over every order of operands gives the expected bits,
// on every type and operator, and what a schedule can do wrong is found.
#include "perf/data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>

#include "model.hpp"

namespace weft::perf {
namespace {

using model::Value;
using Operands = std::vector<Value>;
using Combine = std::function<Value(const Value&, const Value&)>;
using Tree = Value (*)(const Operands&, const Combine&);

Value chain(const Operands& operands, const Combine& combine) {
  Value result = operands[0];
  for (std::size_t i = 1; i < operands.size(); ++i) result = combine(result, operands[i]);
  return result;
}

Value balanced(const Operands& operands, const Combine& combine) {
  if (operands.size() == 1) return operands[0];
  const auto middle = operands.begin() + static_cast<std::ptrdiff_t>(operands.size() / 2);
  return combine(balanced(Operands(operands.begin(), middle), combine),
                 balanced(Operands(middle, operands.end()), combine));
}

// Nodes of three: within each, then over all.
Value hierarchical(const Operands& operands, const Combine& combine) {
  Operands nodes;
  for (std::size_t i = 0; i < operands.size(); i += 3) {
    const auto begin = operands.begin() + static_cast<std::ptrdiff_t>(i);
    const auto count = std::min<std::size_t>(3, operands.size() - i);
    nodes.push_back(chain(Operands(begin, begin + static_cast<std::ptrdiff_t>(count)), combine));
  }
  return balanced(nodes, combine);
}

struct Reduction {
  const ElementType* type;
  const Operator* op;
};

bool takes(const ElementType& type, const Operator& op) {
  return model::reduces(type.type, op.premultiplied ? weft_avg : op.op);
}

std::vector<Reduction> all_reductions() {
  std::vector<Reduction> all;
  for (const ElementType& type : element_types())
    for (const Operator& op : operators())
      if (takes(type, op)) all.push_back({&type, &op});
  return all;
}

class Reductions : public testing::TestWithParam<Reduction> {
 protected:
  weft_datatype_t type() const { return GetParam().type->type; }
  weft_op_t op() const { return GetParam().op->op; }
  bool premultiplied() const { return GetParam().op->premultiplied; }
  DataKey key(int ranks, std::uint64_t seed = 7) const {
    return {
        .type = type(), .op = op(), .premultiplied = premultiplied(), .ranks = ranks, .seed = seed};
  }
  bool is_average() const { return op() == weft_avg || op() == weft_avg_wide; }
  // Taking a rank twice makes no difference.
  bool is_idempotent() const {
    if (type() == weft_bool) return op() != weft_bxor && op() != weft_lxor;
    return op() == weft_max || op() == weft_min || op() == weft_band || op() == weft_bor ||
           op() == weft_land || op() == weft_lor || op() == weft_minloc || op() == weft_maxloc;
  }
  // An average of many ranks has too few values left to tell anything.
  bool tells(int ranks) const {
    return !is_average() || !model::is_integer(type()) || model::bytes_of(type()) > 1 ||
           ranks <= 32;
  }

  // What each of `takers` has at each element: their inputs, with the scalar of `scalar_of(rank)`.
  using RankOf = std::function<int(int)>;
  std::vector<Operands> operands(const DataKey& key, const std::vector<int>& takers,
                                 std::size_t first, std::size_t count,
                                 const RankOf& scalar_of = std::identity()) const {
    std::vector<Operands> at(count);
    std::vector<std::byte> memory(count * model::bytes_of(type()));
    for (int rank : takers) {
      fill_contribution(key, rank, first, count, memory.data());
      const Value scalar =
          premultiplied() ? model::decoded(type(), premul_scalar(type(), scalar_of(rank)).data())
                          : Value();
      for (std::size_t i = 0; i < count; ++i) {
        Value value = model::decoded(type(), memory.data() + i * model::bytes_of(type()));
        if (premultiplied()) value = model::multiplied(type(), value, scalar);
        at[i].push_back(value);
      }
    }
    return at;
  }

  std::vector<std::byte> reduced(const std::vector<Operands>& at, Tree tree, int ranks) const {
    return reduced_in(model::combining_type(type(), op()), at, tree, ranks);
  }
  std::vector<std::byte> reduced_in(weft_datatype_t in, const std::vector<Operands>& at, Tree tree,
                                    int ranks) const {
    const Combine combine = [&](const Value& a, const Value& b) {
      return model::combined(in, op(), a, b);
    };
    std::vector<std::byte> results(at.size() * model::bytes_of(type()));
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Value result = model::finished(type(), op(), tree(at[i], combine), ranks);
      model::encode(type(), result, results.data() + i * model::bytes_of(type()));
    }
    return results;
  }

  std::size_t wrong(const DataKey& key, std::size_t first,
                    const std::vector<std::byte>& results) const {
    return wrong_reductions(key, first, results.size() / model::bytes_of(type()), results.data());
  }
  // Elements that are wrong where `takers` are taken in place of all ranks.
  std::size_t wrong_with(int ranks, const std::vector<int>& takers, std::size_t count,
                         const RankOf& scalar_of = std::identity()) const {
    return wrong(key(ranks), 3,
                 reduced(operands(key(ranks), takers, 3, count, scalar_of), chain, ranks));
  }
};

// All of few, some of many.
std::vector<int> suspects(int ranks) {
  if (ranks > 8) return {0, 1, ranks / 2 - 1, ranks - 1};
  std::vector<int> all(ranks);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<int> ranks_up_to(int ranks) {
  std::vector<int> all(ranks);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST_P(Reductions, EveryTreeInEveryOrderGivesTheExpectedBits) {
  std::mt19937 random(1);
  for (int ranks : {1, 2, 3, 5, 8, 64, 1000}) {
    const std::size_t count = ranks == 1000 ? 16 : 100;
    std::vector<Operands> at = operands(key(ranks), ranks_up_to(ranks), 13, count);
    for (Tree tree : {chain, balanced, hierarchical})
      EXPECT_EQ(wrong(key(ranks), 13, reduced(at, tree, ranks)), 0u) << ranks << " in order";
    for (Operands& element : at) std::shuffle(element.begin(), element.end(), random);
    for (Tree tree : {chain, balanced, hierarchical})
      EXPECT_EQ(wrong(key(ranks), 13, reduced(at, tree, ranks)), 0u) << ranks << " shuffled";
  }
}

// At the latest after all ranks have played all parts; three cycles hold the two of land.
TEST_P(Reductions, EveryRankLeftOutIsFound) {
  for (int ranks : {2, 3, 5, 8, 64}) {
    if (!tells(ranks)) continue;
    for (int missing : suspects(ranks)) {
      std::vector<int> takers = ranks_up_to(ranks);
      takers.erase(takers.begin() + missing);
      EXPECT_GT(wrong_with(ranks, takers, 3 * ranks), 0u) << missing << " of " << ranks;
    }
  }
}

TEST_P(Reductions, EveryRankTakenTwiceIsFoundWhereItMatters) {
  for (int ranks : {2, 3, 5, 8, 64}) {
    if (!tells(ranks)) continue;
    for (int twice : suspects(ranks)) {
      std::vector<int> takers = ranks_up_to(ranks);
      takers.push_back(twice);
      if (is_idempotent())
        EXPECT_EQ(wrong_with(ranks, takers, 3 * ranks), 0u) << twice << " of " << ranks;
      else
        EXPECT_GT(wrong_with(ranks, takers, 3 * ranks), 0u) << twice << " of " << ranks;
    }
  }
}

TEST_P(Reductions, OneRankInPlaceOfAnotherIsFound) {
  for (int ranks : {2, 3, 5, 8, 64}) {
    if (!tells(ranks)) continue;
    for (int missing : suspects(ranks)) {
      std::vector<int> takers = ranks_up_to(ranks);
      takers[missing] = (missing + 1) % ranks;
      EXPECT_GT(wrong_with(ranks, takers, 3 * ranks), 0u) << missing << " of " << ranks;
    }
  }
}

TEST_P(Reductions, AScalarOfAnotherRankIsFound) {
  if (!premultiplied()) return;
  for (int ranks : {1, 2, 3, 5, 8, 64}) {
    for (int odd : suspects(ranks))
      EXPECT_GT(wrong_with(ranks, ranks_up_to(ranks), 3 * ranks,
                           [odd](int rank) { return rank == odd ? rank + 1 : rank; }),
                0u)
          << odd << " of " << ranks;
    EXPECT_GT(wrong_with(ranks, ranks_up_to(ranks), 100, [](int rank) { return rank + 1; }), 50u);
  }
}

TEST_P(Reductions, AWideSumThatIsRoundedOnItsWayIsFound) {
  if (model::combining_type(type(), op()) == type()) return;
  for (int ranks : {3, 5, 8, 64}) {
    const auto at = operands(key(ranks), ranks_up_to(ranks), 3, 3 * ranks);
    EXPECT_GT(wrong(key(ranks), 3, reduced_in(type(), at, chain, ranks)), 0u) << ranks;
  }
}

// As far as the results of an element have values: a truth is one of two.
TEST_P(Reductions, OtherPlacesAndOtherSeedsAreFound) {
  const bool is_truth =
      type() == weft_bool || op() == weft_land || op() == weft_lor || op() == weft_lxor;
  const std::size_t most = is_truth ? 400 : model::bytes_of(type()) == 1 ? 800 : 950;
  for (int ranks : {1, 3, 4}) {
    if (is_truth && ranks == 1) continue;
    const auto at = operands(key(ranks), ranks_up_to(ranks), 0, 1000);
    const auto results = reduced(at, chain, ranks);
    EXPECT_GT(wrong(key(ranks), 1, results), most) << ranks;
    EXPECT_GT(wrong(key(ranks, 8), 0, results), most) << ranks;
    EXPECT_GT(wrong(key(ranks), 0, std::vector<std::byte>(results.size())), most) << ranks;
  }
}

TEST_P(Reductions, ASingleFlippedBitIsFound) {
  std::vector<std::byte> results = reduced(operands(key(3), {0, 1, 2}, 0, 9), chain, 3);
  const std::size_t bytes = model::bytes_of(type());
  for (std::size_t bit = 0; bit < results.size() * 8; ++bit) {
    const std::size_t at = bit / 8 % bytes;
    const bool padding = (type() == weft_int16_int32 && (at == 2 || at == 3)) || at >= 12;
    results[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    EXPECT_EQ(wrong(key(3), 0, results), padding ? 0u : 1u) << "bit " << bit;
    results[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
  }
}

TEST_P(Reductions, ElementsDependOnTheirIndexNotOnWhereTheFillBegan) {
  const std::size_t bytes = model::bytes_of(type());
  for (int ranks : {1, 4, 7, 1000}) {
    std::vector<std::byte> whole(100 * bytes), part(60 * bytes);
    fill_contribution(key(ranks), ranks / 2, 0, 100, whole.data());
    fill_contribution(key(ranks), ranks / 2, 40, 60, part.data());
    EXPECT_EQ(std::memcmp(part.data(), whole.data() + 40 * bytes, part.size()), 0) << ranks;
  }
}

TEST_P(Reductions, BuffersMayHaveAnyAlignment) {
  for (std::size_t offset = 0; offset < 16; ++offset) {
    std::vector<std::byte> memory(11 * model::bytes_of(type()) + 16);
    fill_contribution(key(1), 0, 0, 11, memory.data() + offset);
    std::vector<std::byte> result(11 * model::bytes_of(type()) + 16);
    const auto reduction = reduced(operands(key(1), {0}, 0, 11), chain, 1);
    std::memcpy(result.data() + offset, reduction.data(), reduction.size());
    EXPECT_EQ(wrong_reductions(key(1), 0, 11, result.data() + offset), 0u) << offset;
    const std::vector<std::byte> shifted(memory.begin() + std::ptrdiff_t(offset), memory.end());
    fill_contribution(key(1), 0, 0, 11, memory.data());
    EXPECT_EQ(std::memcmp(memory.data(), shifted.data(), reduction.size()), 0) << offset;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Reductions, testing::ValuesIn(all_reductions()), [](const auto& at) {
  return std::string(at.param.op->name) + "_" + at.param.type->name;
});

}  // namespace
}  // namespace weft::perf
