// The level of WEFT_LOG decides what reaches stderr. It is read once, so each level needs a process
// of its own: a death test re-executes this program.
#include "base/log.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "environment.hpp"

namespace weft::log {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ScopedVariable;

[[noreturn]] void say_everything() {
  error("as {}", "error");
  warn("as {}", "warning");
  info("as {}", "information");
  debug("as {}", "detail");
  std::_Exit(0);
}

class LogLevels : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};
using LogLevelsDeathTest = LogLevels;

TEST_F(LogLevelsDeathTest, warnings_are_the_default_and_the_answer_to_rubbish) {
  for (const char* value : {static_cast<const char*>(nullptr), "", "warn", "loud", "WARN"}) {
    ScopedVariable set("WEFT_LOG", value);
    EXPECT_EXIT(say_everything(), ::testing::ExitedWithCode(0),
                AllOf(HasSubstr("weft: as error\n"), HasSubstr("weft: as warning\n"),
                      Not(HasSubstr("information")), Not(HasSubstr("detail"))));
  }
}

TEST_F(LogLevelsDeathTest, error_says_errors_only) {
  ScopedVariable set("WEFT_LOG", "error");
  EXPECT_EXIT(say_everything(), ::testing::ExitedWithCode(0),
              AllOf(HasSubstr("as error"), Not(HasSubstr("as warning"))));
}

TEST_F(LogLevelsDeathTest, info_leaves_detail_out) {
  ScopedVariable set("WEFT_LOG", "info");
  EXPECT_EXIT(say_everything(), ::testing::ExitedWithCode(0),
              AllOf(HasSubstr("as information"), Not(HasSubstr("as detail"))));
}

TEST_F(LogLevelsDeathTest, debug_says_everything) {
  ScopedVariable set("WEFT_LOG", "debug");
  EXPECT_EXIT(say_everything(), ::testing::ExitedWithCode(0),
              AllOf(HasSubstr("as error"), HasSubstr("as detail")));
}

TEST_F(LogLevelsDeathTest, text_with_braces_is_not_a_format) {
  EXPECT_EXIT(
      {
        line(Level::error, "{} {0} {:x}");
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(0), HasSubstr("weft: {} {0} {:x}\n"));
}

}  // namespace
}  // namespace weft::log
