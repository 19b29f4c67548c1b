// Types and operators keep the order and the sizes of the C API, which casts between them.
#include "base/datatype.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "include/weft/weft.h"

namespace weft {
namespace {

// A typo in one of two parallel lists shows here.
struct Pair {
  DataType type;
  weft_datatype_t c;
  std::size_t bytes;
};
constexpr Pair pairs[] = {{DataType::int8, weft_int8, 1},
                          {DataType::uint8, weft_uint8, 1},
                          {DataType::int32, weft_int32, 4},
                          {DataType::uint32, weft_uint32, 4},
                          {DataType::int64, weft_int64, 8},
                          {DataType::uint64, weft_uint64, 8},
                          {DataType::float16, weft_float16, 2},
                          {DataType::float32, weft_float32, 4},
                          {DataType::float64, weft_float64, 8},
                          {DataType::bfloat16, weft_bfloat16, 2},
                          {DataType::float8_e4m3, weft_float8_e4m3, 1},
                          {DataType::float8_e5m2, weft_float8_e5m2, 1},
                          {DataType::boolean, weft_bool, 1},
                          {DataType::int16, weft_int16, 2},
                          {DataType::uint16, weft_uint16, 2},
                          {DataType::float32_int32, weft_float32_int32, 8},
                          {DataType::float64_int32, weft_float64_int32, 16},
                          {DataType::int16_int32, weft_int16_int32, 8},
                          {DataType::int32_int32, weft_int32_int32, 8},
                          {DataType::int64_int32, weft_int64_int32, 16}};
static_assert(std::size(pairs) == all_types.size());
constexpr weft_op_t c_ops[] = {weft_sum,  weft_prod,   weft_max,   weft_min,  weft_avg,
                               weft_band, weft_bor,    weft_bxor,  weft_land, weft_lor,
                               weft_lxor, weft_minloc, weft_maxloc};
static_assert(std::size(c_ops) == all_ops.size());

TEST(datatype, has_the_numbers_and_sizes_of_the_c_api) {
  for (std::size_t i = 0; i < all_types.size(); ++i) {
    EXPECT_EQ(pairs[i].type, all_types[i]);
    EXPECT_EQ(int(pairs[i].c), int(all_types[i]));
    EXPECT_EQ(pairs[i].bytes, bytes_of(all_types[i])) << name_of(all_types[i]);
  }
  for (std::size_t i = 0; i < all_ops.size(); ++i) EXPECT_EQ(int(c_ops[i]), int(all_ops[i]));
}

TEST(datatype, names_are_distinct) {
  std::set<std::string> names;
  for (DataType type : all_types) EXPECT_TRUE(names.insert(name_of(type)).second);
  for (Op op : all_ops) EXPECT_TRUE(names.insert(name_of(op)).second);
  EXPECT_FALSE(names.contains("unknown"));
}

TEST(datatype, names_are_those_of_nccl_tests) {
  EXPECT_STREQ(name_of(DataType::float32), "float");
  EXPECT_STREQ(name_of(DataType::float64), "double");
}

}  // namespace
}  // namespace weft
