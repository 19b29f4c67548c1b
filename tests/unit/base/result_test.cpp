// Errors travel upwards unchanged through the macros, and a broken assertion ends the program.
#include "base/result.hpp"

#include <gmock/gmock.h>

#include <cerrno>
#include <memory>
#include <set>
#include <string>

#include "include/weft/weft.h"

namespace weft {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

static_assert(int(Code::ok) == weft_ok && int(Code::invalid_argument) == weft_invalid_argument &&
              int(Code::system_error) == weft_system_error &&
              int(Code::remote_error) == weft_remote_error &&
              int(Code::timed_out) == weft_timed_out && int(Code::mismatch) == weft_mismatch &&
              int(Code::aborted) == weft_aborted && int(Code::unsupported) == weft_unsupported &&
              int(Code::in_progress) == weft_in_progress);

Result<int> half_of(int number) {
  if (number % 2) return fail(Code::invalid_argument, "{} is odd", number);
  return number / 2;
}

Result<std::string> quarter_of(int number, int* reached = nullptr) {
  WEFT_ASSIGN(const int half, half_of(number));
  if (reached) *reached = 1;
  WEFT_ASSIGN(const int quarter, half_of(half));
  if (reached) *reached = 2;
  return std::to_string(quarter);
}

Status check_all(std::initializer_list<int> numbers, int* checked) {
  for (int number : numbers) {
    WEFT_TRY(half_of(number));
    ++*checked;
  }
  return {};
}

TEST(result, assign_unwraps_or_returns) {
  EXPECT_EQ(quarter_of(12).value(), "3");
  int reached = 0;
  const auto failed = quarter_of(6, &reached);
  ASSERT_FALSE(failed);
  EXPECT_EQ(reached, 1) << "stopped at the second assignment";
  EXPECT_EQ(failed.error().code, Code::invalid_argument);
  EXPECT_EQ(failed.error().text, "3 is odd");
}

TEST(result, assign_to_what_is_there_and_moves) {
  auto make = [](bool works) -> Result<std::unique_ptr<int>> {
    if (!works) return fail(Code::unsupported, "no");
    return std::make_unique<int>(5);
  };
  std::unique_ptr<int> kept;
  auto run = [&](bool works) -> Status {
    WEFT_ASSIGN(kept, make(works));
    return {};
  };
  EXPECT_TRUE(run(true));
  EXPECT_EQ(*kept, 5);
  EXPECT_FALSE(run(false));
  EXPECT_EQ(*kept, 5) << "untouched by the failure";
}

TEST(result, try_stops_at_the_first_error) {
  int checked = 0;
  EXPECT_TRUE(check_all({2, 4}, &checked));
  EXPECT_EQ(checked, 2);
  const Status status = check_all({2, 7, 9}, &checked);
  ASSERT_FALSE(status);
  EXPECT_EQ(checked, 3);
  EXPECT_EQ(status.error().text, "7 is odd");
}

TEST(result, macros_evaluate_once) {
  int calls = 0;
  auto count = [&]() -> Result<int> { return ++calls; };
  auto run = [&]() -> Status {
    WEFT_TRY(count());
    WEFT_ASSIGN([[maybe_unused]] int value, count());
    return {};
  };
  EXPECT_TRUE(run());
  EXPECT_EQ(calls, 2);
}

TEST(result, errno_becomes_words) {
  const Error error = fail_errno(ECONNREFUSED, "connecting to 127.0.0.1:1").value();
  EXPECT_EQ(error.code, Code::system_error);
  EXPECT_EQ(error.text, "connecting to 127.0.0.1:1: Connection refused");
}

TEST(result, every_code_has_its_own_name) {
  std::set<std::string> names;
  for (int code = 0; code <= int(Code::in_progress); ++code)
    EXPECT_TRUE(names.insert(name_of(Code(code))).second) << name_of(Code(code));
  EXPECT_FALSE(names.contains("unknown"));
}

TEST(ResultDeathTest, a_broken_assertion_stops_and_names_itself) {
  WEFT_ASSERT(1 + 1 == 2);
  const int answer = 41;
  EXPECT_DEATH(WEFT_ASSERT(answer == 42),
               AllOf(HasSubstr("weft: bug: answer == 42"), HasSubstr("result_test.cpp:")));
}

}  // namespace
}  // namespace weft
