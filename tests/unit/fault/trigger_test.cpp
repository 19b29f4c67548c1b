// Where a rule strikes: which messages it counts, and that a seed means the same ones again.
#include "net/fault/trigger.hpp"

#include <gtest/gtest.h>

namespace weft::fault {
namespace {

const TimePoint now{std::chrono::seconds(1000)};

Trigger trigger(const std::string& rule) {
  return Trigger(Plan::parse("tcp:" + rule, {"tcp"}).value().rules("tcp", 0).at(0));
}
Post message(transport::Peer peer, u64 operation, u64 bytes = 100) {
  return {.peer = peer, .rail = 0, .bytes = bytes + 36, .message = Message{operation, bytes, 0}};
}
bool hits(Trigger& rule, const Post& post) {
  const bool hit = rule.judge(post, now).fault.has_value();
  EXPECT_EQ(rule.judge(post, now).fault.has_value(), hit) << "a post that is tried again";
  rule.went(post, now);
  return hit;
}
// The numbers, from 1, of those that were hit of so many messages to rank 1 in operation 1.
std::vector<int> hit_of(const std::string& text, int messages) {
  Trigger rule = trigger(text);
  std::vector<int> hit;
  for (int i = 1; i <= messages; ++i)
    if (hits(rule, message(1, 1))) hit.push_back(i);
  return hit;
}

TEST(FaultTrigger, CountsMessagesAndBytes) {
  EXPECT_EQ(hit_of("drop", 3), (std::vector{1, 2, 3}));
  EXPECT_EQ(hit_of("drop,message=2", 9), (std::vector{2}));
  EXPECT_EQ(hit_of("drop,message=8-", 9), (std::vector{8, 9}));
  EXPECT_EQ(hit_of("drop,byte=0", 9), (std::vector{1}));
  EXPECT_EQ(hit_of("drop,byte=99", 9), (std::vector{1}));
  EXPECT_EQ(hit_of("drop,byte=100", 9), (std::vector{2}));
  EXPECT_EQ(hit_of("drop,peer=0", 9), std::vector<int>());
}

TEST(FaultTrigger, CountsOnlyWhatMeetsPeerAndOperation) {
  Trigger rule = trigger("drop,peer=1,operation=7,message=2");
  EXPECT_FALSE(hits(rule, message(1, 6)));
  EXPECT_FALSE(hits(rule, message(2, 7)));
  EXPECT_FALSE(hits(rule, message(1, 7)));
  EXPECT_FALSE(hits(rule, {.peer = 1, .rail = 0, .bytes = 9, .message = {}})) << "no message";
  EXPECT_TRUE(hits(rule, message(1, 7)));
  EXPECT_FALSE(hits(rule, message(1, 7)));
}

TEST(FaultTrigger, ChanceIsByTheSeed) {
  const auto hit = hit_of("drop,chance=0.1,seed=1", 10'000);
  EXPECT_EQ(hit, hit_of("drop,chance=0.1,seed=1", 10'000));
  EXPECT_NE(hit, hit_of("drop,chance=0.1,seed=2", 10'000));
  EXPECT_GT(hit.size(), 850u);  // five standard deviations
  EXPECT_LT(hit.size(), 1150u);
}

TEST(FaultTrigger, ADamagedBitIsInTheMessage) {
  for (u64 seed = 0; seed < 200; ++seed) {
    const Trigger rule = trigger("corrupt,seed=" + std::to_string(seed));
    EXPECT_LT(rule.judge(message(1, 1, 3), now).at, 24u);
    EXPECT_FALSE(rule.judge(message(1, 1, 0), now).fault) << "there is nothing to damage";
  }
  EXPECT_EQ(trigger("corrupt,byte=2").judge(message(1, 1, 3), now).at / 8, 2u);
}

TEST(FaultTrigger, ARankThatOnlyReceivesIsStruckInItsOperation) {
  Trigger rule = trigger("kill,operation=5");
  EXPECT_FALSE(rule.saw(1, 4));
  EXPECT_EQ(rule.saw(1, 5), Kind::kill);
  rule.struck();
  EXPECT_FALSE(rule.saw(1, 5)) << "once";
  EXPECT_FALSE(trigger("kill").saw(1, 5)) << "that is at a message sent";
  EXPECT_FALSE(trigger("kill,operation=5,message=2").saw(1, 5));
  EXPECT_FALSE(trigger("drop,operation=5").saw(1, 5)) << "not of the rank but of its messages";
}

TEST(FaultTrigger, DelaysByItsTime) {
  const Verdict verdict = trigger("delay=20ms").judge(message(1, 1), now);
  EXPECT_EQ(verdict.fault, Kind::delay);
  EXPECT_EQ(verdict.when, now + std::chrono::milliseconds(20));
}

}  // namespace
}  // namespace weft::fault
