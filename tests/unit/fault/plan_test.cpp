// WEFT_FAULT, read: what it means, and what is said where it means nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/fault/fault.hpp"

namespace weft::fault {
namespace {

using testing::HasSubstr;

const std::vector<std::string> transports{"loopback", "shm", "tcp"};

Result<Plan> parse(std::string_view text) { return Plan::parse(text, transports); }

TEST(FaultPlan, NothingIsAskedForByAnEmptyText) {
  const Plan plan = parse("").value();
  for (const std::string& name : transports) EXPECT_FALSE(plan.rules(name).any());
}

TEST(FaultPlan, EachTransportHasItsRules) {
  const Plan plan = parse("tcp:rate=100M;shm:rate=1G").value();
  EXPECT_EQ(plan.rules("tcp").rate, u64{100} << 20);
  EXPECT_EQ(plan.rules("shm").rate, u64{1} << 30);
  EXPECT_FALSE(plan.rules("loopback").any());
  EXPECT_EQ(plan.rules("shm").text(), "rate=1073741824");
}

TEST(FaultPlan, UnitsAndBounds) {
  for (const auto& [text, bytes] : {std::pair{"tcp:rate=1", u64{1}},
                                    {"tcp:rate=1500", u64{1500}},
                                    {"tcp:rate=3K", u64{3} << 10},
                                    {"tcp:rate=16G", u64{16} << 30}})
    EXPECT_EQ(parse(text).value().rules("tcp").rate, bytes) << text;
}

TEST(FaultPlan, NonsenseIsRefusedInWords) {
  const struct {
    const char *text, *why;
  } cases[] = {
      {"tpc:rate=1G", "no transport 'tpc', only loopback, shm, tcp"},
      {"rate=1G", "no transport 'rate=1G'"},
      {"tcp", "nothing is said of tcp"},
      {"tcp:", "no fault ''"},
      {"tcp:drop=1", "no fault 'drop'"},
      {"tcp:rate", "rate has no value"},
      {"tcp:rate=", "'' is not a number of bytes"},
      {"tcp:rate=0", "'0' is not a number of bytes"},
      {"tcp:rate=-1", "'-1' is not a number of bytes"},
      {"tcp:rate=1.5G", "'1.5G' is not a number of bytes"},
      {"tcp:rate=1T", "'1T' is not a number of bytes"},
      {"tcp:rate=17G", "'17G' is not a number of bytes"},
      {"tcp:rate=99999999999999999999", "is not a number of bytes"},
      {"tcp:rate=1G ", "'1G ' is not a number of bytes"},
      {"tcp:rate=1G,rate=2G", "rate is given twice"},
      {"tcp:rate=1G,", "no fault ''"},
      {"tcp:rate=1G;tcp:rate=2G", "tcp is given twice"},
      {"tcp:rate=1G;", "no transport ''"},
  };
  for (const auto& [text, why] : cases) {
    const auto plan = parse(text);
    ASSERT_FALSE(plan) << text;
    EXPECT_EQ(plan.error().code, Code::invalid_argument);
    EXPECT_THAT(plan.error().text, HasSubstr(why));
    EXPECT_THAT(plan.error().text, HasSubstr("WEFT_FAULT"));
  }
}

}  // namespace
}  // namespace weft::fault
