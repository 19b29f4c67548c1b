// Types and operators keep the order and the sizes of the C API, which casts between them.
#include "base/datatype.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "include/weft/weft.h"

namespace weft {
namespace {

static_assert(int(DataType::uint8) == weft_uint8 && bytes_of(DataType::uint8) == sizeof(u8));
static_assert(int(DataType::int32) == weft_int32 && bytes_of(DataType::int32) == sizeof(i32));
static_assert(int(DataType::float32) == weft_float32 &&
              bytes_of(DataType::float32) == sizeof(float));
static_assert(int(DataType::float64) == weft_float64 &&
              bytes_of(DataType::float64) == sizeof(double));
static_assert(int(Op::sum) == weft_sum && int(Op::min) == weft_min && int(Op::max) == weft_max);

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
