// What a variable's text may be, at the edges: suffixes, overflow, bounds and rubbish.
#include "base/config.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <set>
#include <string>

#include "environment.hpp"

namespace weft::config {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using testing::ScopedVariable;

constexpr Variable sample{"WEFT_SAMPLE", "64K", "A number."};
constexpr Variable period{"WEFT_PERIOD", "1.5", "A time."};
constexpr u64 largest = std::numeric_limits<u64>::max();

Result<u64> parse(const char* value, u64 least = 0, u64 most = largest) {
  ScopedVariable set(sample.name, value);
  return number(sample, least, most);
}

Result<double> parse_seconds(const char* value) {
  ScopedVariable set(period.name, value);
  return seconds(period);
}

TEST(config, table_is_well_formed) {
  std::set<std::string> names;
  for (const Variable* variable : all()) {
    EXPECT_THAT(variable->name, MatchesRegex("WEFT_[A-Z_]+"));
    EXPECT_TRUE(names.insert(variable->name).second) << variable->name << " is there twice";
    EXPECT_THAT(variable->help, MatchesRegex("[A-Z].*\\."));
  }
  EXPECT_GE(names.size(), 10u);
}

TEST(config, an_empty_variable_is_not_set) {
  for (const char* value : {static_cast<const char*>(nullptr), ""}) {
    ScopedVariable set(sample.name, value);
    EXPECT_FALSE(is_set(sample));
    EXPECT_EQ(text(sample), "64K");
    EXPECT_EQ(number(sample, 0, largest).value(), 64u << 10);
  }
  ScopedVariable set(sample.name, "7");
  EXPECT_TRUE(is_set(sample));
  EXPECT_EQ(text(sample), "7");
}

TEST(config, numbers_take_suffixes) {
  EXPECT_EQ(parse("0").value(), 0u);
  EXPECT_EQ(parse("1").value(), 1u);
  EXPECT_EQ(parse("3K").value(), 3u << 10);
  EXPECT_EQ(parse("3M").value(), 3u << 20);
  EXPECT_EQ(parse("3G").value(), 3ull << 30);
  EXPECT_EQ(parse("18446744073709551615").value(), largest);
  EXPECT_EQ(parse("17179869183G").value(), 17179869183ull << 30);
}

TEST(config, numbers_that_overflow_are_refused) {
  for (const char* value : {"18446744073709551616", "99999999999999999999", "17179869184G",
                            "18014398509481984K", "18446744073709551615K"})
    EXPECT_FALSE(parse(value)) << value;
}

TEST(config, bounds_belong_to_the_range) {
  EXPECT_TRUE(parse("2", 2, 4));
  EXPECT_TRUE(parse("4", 2, 4));
  EXPECT_FALSE(parse("1", 2, 4));
  EXPECT_FALSE(parse("5", 2, 4));
  EXPECT_TRUE(parse("1K", 1, 1024));
  EXPECT_FALSE(parse("1K", 1, 1023));
  EXPECT_FALSE(parse("2K", 1, 2047));
}

TEST(config, rubbish_is_no_number) {
  for (const char* value :
       {"K", "-1", "+1", " 1", "1 ", "1k", "1T", "1KB", "1KK", "0x10", "1.5", "four", "1\n", "-"})
    EXPECT_FALSE(parse(value)) << '"' << value << '"';
}

TEST(config, an_error_names_variable_value_and_range) {
  const auto result = parse("four", 1, 9);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::invalid_argument);
  for (const char* part : {"WEFT_SAMPLE", "four", "1 to 9", "A number."})
    EXPECT_THAT(result.error().text, HasSubstr(part));
}

TEST(config, seconds_may_be_fractions) {
  EXPECT_EQ(parse_seconds(nullptr).value(), 1.5);
  EXPECT_EQ(parse_seconds("600").value(), 600);
  EXPECT_EQ(parse_seconds("0.25").value(), 0.25);
  EXPECT_EQ(parse_seconds("1e-3").value(), 1e-3);
}

TEST(config, seconds_are_positive_and_finite) {
  for (const char* value : {"0", "-1", "-0.0", "nan", "inf", "1e10", "1s", "ten", "1.5.0", "1 "}) {
    const auto result = parse_seconds(value);
    ASSERT_FALSE(result) << '"' << value << '"';
    EXPECT_EQ(result.error().code, Code::invalid_argument);
    EXPECT_THAT(result.error().text, HasSubstr("WEFT_PERIOD"));
  }
}

}  // namespace
}  // namespace weft::config
