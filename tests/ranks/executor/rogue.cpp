// A peer whose messages are not those of the schedule: named on this rank, nothing read past an
// end, nothing waited for for ever.
#include <gtest/gtest.h>

#include "algorithms/table.hpp"
#include "executor/engine.hpp"
#include "net/loopback/loopback.hpp"

namespace weft::testing {
namespace {

using channel::CallMark;
using channel::Fabric;
using channel::RecvChannel;
using channel::SendChannel;
using transport::Piece;
using transport::Posted;

struct Deaf final : channel::Listener {
  void can_send(SendChannel&) override {}
  void can_receive(RecvChannel&) override {}
  void sent(transport::Cookie) override {}
  void saw_call(transport::Peer, CallMark) override {}
  void explained(transport::Peer, const channel::Explain&) override {}
  void failed(const Error&, u32) override {}
  void departed(transport::Peer) override {}
};

// Rank 0 waits for a broadcast; rank 1, its root, is a bare Fabric that sends what it likes.
class Rogue : public ::testing::Test {
 protected:
  void wait_for(u64 count) {
    const auto shape = schedule::Shape::flat(2);
    auto emitted = algorithms::emit("binomial", schedule::Kind::broadcast, shape, 1, 0).value();
    port_ = emitted.program.steps.at(0).port;
    const schedule::Partition partition(emitted.tiling, count, 16);
    plan_ = executor::lower(std::move(emitted.program), std::move(emitted.collective), partition,
                            {.count = count, .element_bytes = 4}, engine_.fabric())
                .value();
    ASSERT_TRUE(plan_->is_short());
    ASSERT_EQ(plan_->steps.at(0).light, 4 * count <= engine_.fabric().most_inline_bytes());
    output_.resize(4 * count);
    operation_.plan = plan_.get();
    operation_.output = output_.data();
    operation_.element_bytes = operation_.user_element_bytes = 4;
    operation_.prepare(false);
    engine_.start(operation_);
    out_ = **rogue_.open_send(0, port_);
    poll();
  }
  void poll() {
    for (int i = 0; i < 20; ++i) engine_.poll(), rogue_.poll();
  }
  void post(u64 bytes) {
    const std::vector<std::byte> memory(bytes, std::byte{7});
    const Piece piece(memory);
    ASSERT_EQ(rogue_.post(*out_, {&piece, 1}, bytes, {}, 0, 0), Posted::done);
  }
  void lend(u64 bytes) {
    const channel::Loan loan{.base = reinterpret_cast<u64>(lent_.data()), .bytes = bytes};
    ASSERT_EQ(rogue_.lend(*out_, loan, {}, 0), Posted::done);
  }
  void expect_fault(const std::string& text) {
    poll();
    ASSERT_TRUE(operation_.done()) << "it waits for what will not come";
    ASSERT_EQ(operation_.state.load(), executor::Operation::State::failed);
    EXPECT_EQ(operation_.error.code, Code::remote_error);
    EXPECT_NE(operation_.error.text.find("rank 1 " + text), std::string::npos)
        << operation_.error.text;
  }

  static channel::Options options() { return {.frames = 1, .slots = 4, .slot_bytes = 8192}; }
  executor::Settings settings() {
    return {.rank = 0,
            .channels = options(),
            .routes = {{}, {ends_[0].get(), ends_[1]->address()}},
            .describe = [](const executor::Signature&) { return std::string("broadcast"); }};
  }

  const Secret job_ = Secret::random();
  std::unique_ptr<transport::Transport> ends_[2] = {loopback::create(job_, 0, 2).value(),
                                                    loopback::create(job_, 1, 2).value()};
  std::unique_ptr<executor::Plan> plan_;
  executor::Operation operation_;
  std::vector<std::byte> output_, lent_ = std::vector<std::byte>(4000);
  Deaf deaf_;
  executor::Engine engine_{settings()};
  Fabric rogue_{1, options(), {{ends_[1].get(), ends_[0]->address()}, {}}, deaf_};
  SendChannel* out_ = nullptr;
  u8 port_ = 0;
};

TEST_F(Rogue, BehavesAndIsServed) {
  wait_for(1000);
  post(1000), post(3000);
  poll();
  ASSERT_EQ(operation_.state.load(), executor::Operation::State::succeeded);
  EXPECT_EQ(output_, std::vector<std::byte>(4000, std::byte{7}));
}

TEST_F(Rogue, SendsMoreThanIsDue) {
  wait_for(1000);
  post(4008);
  expect_fault("sent more or less than the message that is due");
}

TEST_F(Rogue, LendsTheRestOfAMessage) {
  wait_for(1000);
  post(64), lend(4000);
  expect_fault("lent or placed a part of a message");
}

TEST_F(Rogue, PlacesWhatNobodyWanted) {
  wait_for(1000);
  ASSERT_EQ(rogue_.announce_placed(*out_, {}, 0), Posted::done);
  expect_fault("placed a message where none was wanted");
}

TEST_F(Rogue, SendsAnotherSizeWhereMessagesAreShort) {
  wait_for(10);
  post(36);
  expect_fault("sent more or less than the message that is due");
}

TEST_F(Rogue, LendsWhereMessagesAreShort) {
  wait_for(10);
  lend(40);
  expect_fault("lent or placed a part of a message");
}

}  // namespace
}  // namespace weft::testing
