// The decorator with a policy of the test's own, over loopback: what is held back, and its news.
#include "net/fault/endpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "base/secret.hpp"
#include "net/loopback/loopback.hpp"

namespace weft::fault {
namespace {

using testing::HasSubstr;
using transport::Posted;

struct Log : transport::Sink {
  void arrived(transport::Peer, transport::Notice) override { ++arrivals; }
  void completed(transport::Peer, transport::Cookie) override {}
  void broken(transport::Peer, const Error&) override { ++breaks; }
  int arrivals = 0, breaks = 0;
};

struct Books {
  Verdict verdict;
  std::vector<u64> went;
};

struct Scripted final : Policy {
  explicit Scripted(Books& in) : books(in) {}
  Verdict judge(const Post&, TimePoint) const override { return books.verdict; }
  void went(const Post& post, TimePoint) override { books.went.push_back(post.bytes); }
  Books& books;
};

class FaultEndpoint : public testing::Test {
 protected:
  FaultEndpoint() {
    const Secret job = Secret::random();
    peer_ = loopback::create(job, 1, 2).value();
    Endpoint::Policies policies;
    policies.push_back(std::make_unique<Scripted>(books_));
    end_ = Endpoint::make(loopback::create(job, 0, 2).value(), std::move(policies),
                          {.sees_all = true, .rules = "a test"})
               .value();
    region_ = peer_->allocate(4096).value();
  }
  void connect() {
    ASSERT_TRUE(end_->connect(1, peer_->address()));
    ASSERT_TRUE(peer_->connect(0, end_->address()));
    while (!end_->connected(1) || !peer_->connected(0)) end_->poll(log_), peer_->poll(peer_log_);
    while (end_->poll(log_)) {}
  }
  Posted put() {
    const std::byte bytes[10] = {}, notice[3] = {};
    const transport::Piece pieces[] = {std::span(bytes).first(4), std::span(bytes).subspan(4)};
    return end_->put(1, 0, {region_.key, 0}, pieces, notice, 0);
  }

  Books books_;
  std::unique_ptr<transport::Transport> peer_;
  std::unique_ptr<Endpoint> end_;
  transport::Region region_;
  Log log_, peer_log_;
};

TEST_F(FaultEndpoint, BooksOnlyWhatWasAccepted) {
  EXPECT_EQ(put(), Posted::busy) << "not connected yet";
  EXPECT_TRUE(books_.went.empty());
  connect();
  EXPECT_EQ(put(), Posted::done);
  EXPECT_EQ(end_->notify(1, 0, std::array<std::byte, 5>{}), Posted::done);
  EXPECT_EQ(books_.went, (std::vector<u64>{13, 5}));
}

TEST_F(FaultEndpoint, APostHeldBackIsBusyAndItsTimeIsNews) {
  connect();
  books_.verdict = {.fault = Kind::rate, .when = TimePoint::max()};
  EXPECT_EQ(put(), Posted::busy);
  EXPECT_EQ(end_->poll(log_), 0u);
  books_.verdict.when = Clock::now();
  EXPECT_EQ(put(), Posted::busy);
  EXPECT_FALSE(end_->arm()) << "its time has come";
  EXPECT_EQ(end_->poll(log_), 1u);
  EXPECT_EQ(end_->poll(log_), 0u) << "told once";
  books_.verdict = {};
  EXPECT_EQ(put(), Posted::done);
}

TEST_F(FaultEndpoint, ASleeperIsWokenWhenItsTimeHasCome) {
  connect();
  const TimePoint when = Clock::now() + std::chrono::milliseconds(20);
  books_.verdict = {.fault = Kind::rate, .when = when};
  EXPECT_EQ(put(), Posted::busy);
  if (end_->arm()) {  // unless 20 ms have passed
    pollfd wait{end_->wait_fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&wait, 1, 60'000), 1);
  }
  EXPECT_GE(Clock::now(), when);
  end_->disarm();
  EXPECT_EQ(end_->poll(log_), 1u);
}

TEST_F(FaultEndpoint, AfterAnEndNothingIsHeldBack) {
  connect();
  books_.verdict = {.fault = Kind::rate, .when = TimePoint::max()};
  peer_.reset();
  while (!log_.breaks) end_->poll(log_);
  EXPECT_EQ(put(), Posted::broken);
}

TEST_F(FaultEndpoint, WantsEveryByteAndSaysWhatIsWrongWithIt) {
  connect();
  EXPECT_TRUE(end_->posts_every_byte());
  EXPECT_THAT(end_->describe(1), HasSubstr("(with a test by WEFT_FAULT)"));
  EXPECT_STREQ(end_->name(), "loopback");
}

TEST_F(FaultEndpoint, WithoutRulesNothingIsWrapped) {
  transport::Transport* const before = peer_.get();
  const auto after = wrap(std::move(peer_), {}, 1, nullptr).value();
  EXPECT_EQ(after.get(), before);
}

}  // namespace
}  // namespace weft::fault
