// What is only moved, inputs that show an order, and the formats in which all of it lies.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "model.hpp"
#include "perf/data.hpp"
#include "perf/formats.hpp"

namespace weft::perf {
namespace {

TEST(Streams, DifferByRankAndAnyBitIsFound) {
  for (const ElementType& type : element_types()) {
    const DataKey key = {.type = type.type, .ranks = 2, .seed = 7};
    std::vector<std::byte> stream(7 * type.bytes);
    fill_stream(key, 1, 7, stream.data());
    EXPECT_EQ(wrong_in_stream(key, 1, 7, stream.data()), 0u) << type.name;
    EXPECT_GT(wrong_in_stream(key, 0, 7, stream.data()), 4u) << type.name;
    for (std::size_t bit = 0; bit < stream.size() * 8; ++bit) {
      stream[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      EXPECT_EQ(wrong_in_stream(key, 1, 7, stream.data()), 1u) << type.name << " bit " << bit;
      stream[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    }
  }
}

std::vector<model::Value> order_inputs(weft_datatype_t type, weft_op_t op, int rank,
                                       std::size_t count) {
  const DataKey key = {.type = type, .op = op, .ranks = 3, .seed = 1, .inputs = Inputs::order};
  std::vector<std::byte> memory(count * model::bytes_of(type));
  fill_contribution(key, rank, 0, count, memory.data());
  std::vector<model::Value> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(model::decoded(type, memory.data() + i * model::bytes_of(type)));
  return values;
}

// The digest's inputs must show the order of sums and products, or equal digests would say nothing.
TEST(OrderInputs, ResultsDependOnTheirOrder) {
  for (const ElementType& type : element_types()) {
    if (!model::is_float(type.type)) continue;
    for (weft_op_t op : {weft_sum, weft_prod}) {
      const auto a = order_inputs(type.type, op, 0, 1000), b = order_inputs(type.type, op, 1, 1000),
                 c = order_inputs(type.type, op, 2, 1000);
      const auto both = [&](const model::Value& x, const model::Value& y) {
        return model::combined(type.type, op, x, y);
      };
      int differing = 0;
      for (std::size_t i = 0; i < a.size(); ++i)
        differing += both(both(a[i], b[i]), c[i]).real != both(a[i], both(b[i], c[i])).real;
      EXPECT_GT(differing, 100) << type.name << " " << op;
    }
  }
}

TEST(OrderInputs, HaveNoSumThatOverflows) {
  for (const ElementType& type : element_types()) {
    if (!model::is_float(type.type)) continue;
    model::Value sum;
    for (int rank = 0; rank < 28; ++rank) {
      model::Value value = order_inputs(type.type, weft_sum, rank, 1)[0];
      value.real = std::abs(value.real);
      sum = model::combined(type.type, weft_sum, sum, value);
    }
    EXPECT_TRUE(std::isfinite(sum.real)) << type.name;
  }
}

// Every number of the narrow types, and the doubles next to it and half way to the next one.
TEST(Formats, RoundToNearestEven) {
  for (weft_datatype_t type : {weft_float16, weft_bfloat16, weft_float8_e4m3, weft_float8_e5m2}) {
    with_float(type, [&]<class Format>(Format) {
      double last = 0;
      for (std::uint32_t code = 0; code <= Format::special; ++code) {
        typename Format::Code bits = static_cast<typename Format::Code>(code);
        const double value = model::decoded(type, reinterpret_cast<const std::byte*>(&bits)).real;
        const double middle = (last + value) / 2;
        for (double near : {value, middle, std::nextafter(middle, 0), std::nextafter(middle, 1e9)})
          for (double signed_value : {near, -near}) {
            if (!std::isfinite(signed_value)) continue;
            typename Format::Code expected;
            model::encode(type, {.real = signed_value}, reinterpret_cast<std::byte*>(&expected));
            ASSERT_EQ(Format::code(signed_value), expected) << type << " " << signed_value;
          }
        last = value;
      }
      EXPECT_EQ(Format::code(1e300), Format::special);
      EXPECT_EQ(Format::code(1e-300), 0);
    });
  }
  for (double value : {1.0, -0.1, 3e38, 1e-40, 1.4e-45, 16777217.0, 1e39, -0.0}) {
    const auto rounded = static_cast<float>(value);
    EXPECT_EQ(Float32::code(value), std::bit_cast<std::uint32_t>(rounded)) << value;
  }
}

}  // namespace
}  // namespace weft::perf
