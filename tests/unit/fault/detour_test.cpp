// Faults of messages over loopback: what is lost, late, changed or silent, and what is not.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "base/secret.hpp"
#include "net/fault/fault.hpp"
#include "net/loopback/loopback.hpp"

namespace weft::fault {
namespace {

using transport::Posted;

struct Log : transport::Sink {
  void arrived(transport::Peer, transport::Notice notice) override {
    std::string text(notice.size(), ' ');
    std::memcpy(text.data(), notice.data(), notice.size());
    notices.push_back(text);
  }
  void completed(transport::Peer, transport::Cookie) override {}
  void broken(transport::Peer, const Error&) override { ++breaks; }
  std::vector<std::string> notices;
  int breaks = 0;
};

// Notices that begin with 'm' are messages of operation 1, all of their bytes but the first data.
std::optional<Message> look(transport::Notice notice) {
  if (notice.empty() || notice[0] != std::byte('m')) return std::nullopt;
  return Message{1, notice.size() - 1, 1};
}

// Rank 0, with a rule, and rank 1.
struct Pair {
  explicit Pair(const std::string& rule) {
    const Secret job = Secret::random();
    const Rules rules = Plan::parse("all:" + rule, {}).value().rules("loopback", 0);
    end = wrap(loopback::create(job, 0, 2).value(), rules, 0, look).value();
    peer = loopback::create(job, 1, 2).value();
    EXPECT_TRUE(end->connect(1, peer->address()));
    EXPECT_TRUE(peer->connect(0, end->address()));
    while (!end->connected(1) || !peer->connected(0)) poll();
  }
  void poll() { end->poll(log), peer->poll(peer_log); }
  Posted send(std::string_view text) { return end->notify(1, 0, std::as_bytes(std::span(text))); }
  void answer(std::string_view text) {
    EXPECT_EQ(peer->notify(0, 0, std::as_bytes(std::span(text))), Posted::done);
  }
  std::unique_ptr<transport::Transport> end, peer;
  Log log, peer_log;
};

TEST(FaultDetour, DropLosesTheMessageAndNothingElse) {
  Pair pair("drop,message=2");
  for (const char* text : {"m1", "c", "m2", "m3"}) EXPECT_EQ(pair.send(text), Posted::done);
  pair.poll();
  EXPECT_EQ(pair.peer_log.notices, (std::vector<std::string>{"m1", "c", "m3"}));
}

TEST(FaultDetour, DelayKeepsTheOrderAndTheFence) {
  Pair pair("delay=30ms,message=2");
  const TimePoint begin = Clock::now();
  for (const char* text : {"m1", "m2", "c", "m3"}) EXPECT_EQ(pair.send(text), Posted::done);
  EXPECT_FALSE(pair.end->fence(1));
  while (pair.peer_log.notices.size() < 4) pair.poll();
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(30));
  EXPECT_EQ(pair.peer_log.notices, (std::vector<std::string>{"m1", "m2", "c", "m3"}));
  EXPECT_TRUE(pair.end->fence(1));
}

TEST(FaultDetour, WhatIsLateHasItsOwnCopy) {
  Pair pair("delay=5ms");
  std::string text = "mabc";
  EXPECT_EQ(pair.send(text), Posted::done);
  text = "zzzz";
  while (pair.peer_log.notices.empty()) pair.poll();
  EXPECT_EQ(pair.peer_log.notices.front(), "mabc");
}

TEST(FaultDetour, CorruptChangesOneBitOfTheData) {
  for (int seed = 0; seed < 50; ++seed) {
    Pair pair("corrupt,seed=" + std::to_string(seed));
    EXPECT_EQ(pair.send("mabc"), Posted::done);
    EXPECT_EQ(pair.send("cabc"), Posted::done);
    pair.poll();
    ASSERT_EQ(pair.peer_log.notices.size(), 2u);
    int bits = 0;
    for (int i = 0; i < 4; ++i)
      bits += __builtin_popcount(u8(pair.peer_log.notices[0][i]) ^ u8("mabc"[i]));
    EXPECT_EQ(bits, 1) << pair.peer_log.notices[0];
    EXPECT_EQ(pair.peer_log.notices[0][0], 'm') << "its head is not data";
    EXPECT_EQ(pair.peer_log.notices[1], "cabc");
  }
}

TEST(FaultDetour, CorruptLeavesTheSourceAsItIs) {
  const std::vector<std::byte> zeros(100);
  const transport::Piece pieces[] = {std::span(zeros).first(60), std::span(zeros).subspan(60)};
  // A notice whose data is in the put: its look says so.
  auto in_put = [](transport::Notice) -> std::optional<Message> { return Message{1, 100, 0}; };
  const Secret job = Secret::random();
  const Rules rules = Plan::parse("all:corrupt,byte=61", {}).value().rules("", 0);
  auto end = wrap(loopback::create(job, 0, 2).value(), rules, 0, +in_put).value();
  auto peer = loopback::create(job, 1, 2).value();
  const auto target = peer->allocate(4096).value();
  ASSERT_TRUE(end->connect(1, peer->address()) && peer->connect(0, end->address()));
  Log log;
  while (!end->connected(1) || !peer->connected(0)) end->poll(log), peer->poll(log);
  EXPECT_EQ(end->put(1, 0, {target.key, 0}, pieces, std::as_bytes(std::span("n")), 0),
            Posted::done);
  peer->poll(log);
  EXPECT_EQ(zeros, std::vector<std::byte>(100));
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(target.bytes[i] != std::byte{0}, i == 61) << i;
}

TEST(FaultDetour, SilenceIsBothWaysAndNobodyIsTold) {
  Pair pair("silence,message=2");
  EXPECT_EQ(pair.send("m1"), Posted::done);
  pair.answer("a1");
  pair.poll();
  for (const char* text : {"m2", "c", "m3"}) EXPECT_EQ(pair.send(text), Posted::done);
  pair.answer("a2");
  pair.peer->poll(pair.peer_log);
  pair.peer.reset();
  for (int i = 0; i < 10; ++i) pair.end->poll(pair.log);
  EXPECT_EQ(pair.peer_log.notices, (std::vector<std::string>{"m1"}));
  EXPECT_EQ(pair.log.notices, (std::vector<std::string>{"a1"}));
  EXPECT_EQ(pair.log.breaks, 0);
}

TEST(FaultDetour, CloseIsSeenAtBothEnds) {
  Pair pair("close,message=2");
  EXPECT_EQ(pair.send("m1"), Posted::done);
  EXPECT_EQ(pair.send("m2"), Posted::broken);
  for (int i = 0; i < 10; ++i) pair.poll();
  EXPECT_EQ(pair.peer_log.notices, (std::vector<std::string>{"m1"}));
  EXPECT_EQ(pair.log.breaks, 1);
  EXPECT_EQ(pair.peer_log.breaks, 1);
}

TEST(FaultDetour, OnlyARuleAboutEveryByteWantsThemAllPosted) {
  for (const auto& [rule, all] : {std::pair{"rate=1M", true},
                                  {"corrupt,message=9", true},
                                  {"drop,message=9", false},
                                  {"delay=1ms", false},
                                  {"close,message=9", false},
                                  {"kill,message=9", false}}) {
    Pair pair(rule);
    const auto region = pair.peer->allocate(4096).value();
    EXPECT_EQ(pair.end->posts_every_byte(), all) << rule;
    EXPECT_FALSE(pair.end->map(1, region.key).empty()) << rule;
    EXPECT_TRUE(pair.end->shares_address_space()) << rule;
  }
}

TEST(FaultDetour, AFrozenProcessStopsAndGoesOn) {
  const pid_t child = ::fork();
  if (child == 0) {
    Pair pair("freeze,message=1");
    ::_exit(pair.send("m1") == Posted::done ? 7 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  EXPECT_TRUE(WIFSTOPPED(status));
  ASSERT_EQ(::kill(child, SIGCONT), 0);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(FaultDetour, AKilledProcessIsGone) {
  const pid_t child = ::fork();
  if (child == 0) {
    Pair pair("kill,message=2");
    pair.send("m1");
    pair.send("m2");
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

}  // namespace
}  // namespace weft::fault
