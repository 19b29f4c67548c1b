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
  for (const std::string& name : transports) EXPECT_TRUE(plan.rules(name, 0).empty());
}

TEST(FaultPlan, EachTransportHasItsRules) {
  const Plan plan = parse("tcp:rate=100M;shm:rate=1G;tcp:delay=20ms").value();
  const Rules tcp = plan.rules("tcp", 0), shm = plan.rules("shm", 7);
  ASSERT_EQ(tcp.size(), 2u);
  EXPECT_EQ(tcp[0].rate, u64{100} << 20);
  EXPECT_EQ(tcp[1].delay, std::chrono::milliseconds(20));
  ASSERT_EQ(shm.size(), 1u);
  EXPECT_EQ(shm[0].rate, u64{1} << 30);
  EXPECT_EQ(shm[0].text, "rate=1G");
  EXPECT_TRUE(plan.rules("loopback", 0).empty());
}

TEST(FaultPlan, ConditionsNarrowARule) {
  const Plan plan =
      parse("all:corrupt,rank=1-2,peer=3,operation=4-,message=5-6,byte=1K,chance=0.25,seed=9")
          .value();
  for (const std::string& name : transports) {
    EXPECT_TRUE(plan.rules(name, 0).empty());
    EXPECT_TRUE(plan.rules(name, 3).empty());
    ASSERT_EQ(plan.rules(name, 1).size(), 1u);
  }
  const Rule rule = plan.rules("shm", 2).at(0);
  EXPECT_EQ(rule.kind, Kind::corrupt);
  EXPECT_TRUE(rule.peers.holds(3) && !rule.peers.holds(2) && !rule.peers.holds(4));
  EXPECT_TRUE(rule.operations.holds(4) && rule.operations.holds(1'000'000));
  EXPECT_FALSE(rule.operations.holds(3));
  EXPECT_TRUE(rule.messages.holds(5) && rule.messages.holds(6) && !rule.messages.holds(7));
  EXPECT_EQ(rule.at, u64{1024});
  EXPECT_EQ(rule.chance, 0.25);
  EXPECT_EQ(rule.seed, 9u);
}

TEST(FaultPlan, EveryFaultHasAWord) {
  const std::pair<const char*, Kind> words[] = {
      {"rate=1", Kind::rate},     {"delay=1us", Kind::delay}, {"drop", Kind::drop},
      {"corrupt", Kind::corrupt}, {"close", Kind::close},     {"silence", Kind::silence},
      {"freeze", Kind::freeze},   {"kill", Kind::kill}};
  for (const auto& [word, kind] : words) {
    const auto plan = parse(std::string("tcp:") + word);
    ASSERT_TRUE(plan) << plan.error().text;
    EXPECT_EQ(plan->rules("tcp", 0).at(0).kind, kind);
    EXPECT_EQ(std::string(word).substr(0, std::string(word).find('=')), name_of(kind));
  }
}

TEST(FaultPlan, UnitsAndBounds) {
  for (const auto& [text, bytes] : {std::pair{"tcp:rate=1", u64{1}},
                                    {"tcp:rate=1500", u64{1500}},
                                    {"tcp:rate=3K", u64{3} << 10},
                                    {"tcp:rate=16G", u64{16} << 30}})
    EXPECT_EQ(parse(text).value().rules("tcp", 0).at(0).rate, bytes) << text;
  for (const auto& [text, nanoseconds] : {std::pair{"tcp:delay=3us", 3'000},
                                          {"tcp:delay=20ms", 20'000'000},
                                          {"tcp:delay=1s", 1'000'000'000}})
    EXPECT_EQ(parse(text).value().rules("tcp", 0).at(0).delay.count(), nanoseconds) << text;
}

TEST(FaultPlan, NonsenseIsRefusedInWords) {
  const struct {
    const char *text, *why;
  } cases[] = {
      {"tpc:rate=1G", "no transport 'tpc', only loopback, shm, tcp and all"},
      {"rate=1G", "no transport 'rate=1G'"},
      {"tcp", "nothing is said of tcp"},
      {"tcp:", "no fault ''"},
      {"tcp:lose",
       "no fault 'lose', only rate, delay, drop, corrupt, close, silence, freeze, kill"},
      {"tcp:drop=1", "drop takes no value"},
      {"tcp:rate", "rate has no value"},
      {"tcp:rate=", "'' is not a number of bytes"},
      {"tcp:rate=0", "'0' is not a number of bytes"},
      {"tcp:rate=-1", "'-1' is not a number of bytes"},
      {"tcp:rate=1.5G", "'1.5G' is not a number of bytes"},
      {"tcp:rate=1T", "'1T' is not a number of bytes"},
      {"tcp:rate=17G", "'17G' is not a number of bytes"},
      {"tcp:rate=99999999999999999999", "is not a number of bytes"},
      {"tcp:rate=1G ", "'1G ' is not a number of bytes"},
      {"tcp:rate=1G,peer=2", "of the conditions it knows rank"},
      {"tcp:rate=1G,", "no condition ''"},
      {"tcp:rate=1G;", "no transport ''"},
      {"tcp:delay=5", "'5' is not a time as 50us, 20ms or 2s"},
      {"tcp:delay=0ms", "'0ms' is not a time"},
      {"tcp:delay=-1s", "'-1s' is not a time"},
      {"tcp:delay=5min", "'5min' is not a time"},
      {"tcp:kill,when=3", "no condition 'when', only rank, peer, operation, message, byte, chance"},
      {"tcp:kill,rank", "rank has no value"},
      {"tcp:kill,rank=", "rank= is not a whole number"},
      {"tcp:kill,rank=x", "rank=x is not a whole number"},
      {"tcp:kill,rank=3-2", "rank=3-2 is not N, N-M or N-"},
      {"tcp:kill,rank=1,rank=2", "rank is given twice"},
      {"tcp:drop,message=0-4", "message=0-4 is not N, N-M or N- with numbers from 1 up"},
      {"tcp:drop,chance=0", "chance=0 is not a probability above 0"},
      {"tcp:drop,chance=1.1", "chance=1.1 is not a probability"},
      {"tcp:drop,chance=nan", "chance=nan is not a probability"},
      {"tcp:drop,chance=1e", "chance=1e is not a probability"},
      {"tcp:drop,seed=-1", "seed=-1 is not a whole number"},
      {"tcp:drop,byte=", "byte= is not a whole number"},
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
