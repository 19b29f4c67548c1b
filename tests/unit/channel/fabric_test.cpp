// Channels between two ranks over the loopback: credits bound what is under way, order holds, and a
// peer that breaks the protocol is named and writes nothing.
#include "channel/fabric.hpp"

#include <gtest/gtest.h>

#include "net/loopback/loopback.hpp"

namespace weft::channel {
namespace {

using transport::Piece;
using transport::Posted;

struct Notes final : Listener {
  void can_send(SendChannel&) override { ++send_events; }
  void can_receive(RecvChannel&) override { ++receive_events; }
  void sent(transport::Cookie) override {}
  void saw_call(transport::Peer, CallMark mark) override { last_mark = mark; }
  void explained(transport::Peer, const Explain&) override {}
  void failed(const Error& error, u32) override { errors.push_back(error); }
  void departed(transport::Peer) override { ++departures; }
  u32 send_events = 0, receive_events = 0, departures = 0;
  CallMark last_mark;
  std::vector<Error> errors;
};

// Rank 0 is a Fabric; rank 1 is another, or a bare transport that plays a rogue.
class Channels : public ::testing::Test {
 protected:
  void open(Options options) {
    const Secret job = Secret::random();
    for (u32 rank = 0; rank < 2; ++rank) ends.push_back(*loopback::create(job, rank, 2));
    for (u32 rank = 0; rank < 2; ++rank) {
      std::vector<Route> routes(2);
      routes[1 - rank] = {ends[rank].get(), ends[1 - rank]->address()};
      fabrics.push_back(std::make_unique<Fabric>(rank, options, routes, notes[rank]));
    }
  }
  void poll() {
    for (int i = 0; i < 20; ++i)
      for (auto& fabric : fabrics) fabric->poll();
  }
  std::vector<std::unique_ptr<transport::Transport>> ends;
  Notes notes[2];
  std::vector<std::unique_ptr<Fabric>> fabrics;
};

TEST_F(Channels, CreditBoundsWhatIsUnderWayAndOrderHolds) {
  constexpr u32 slots = 3, slot_bytes = 512;
  open({.frames = 2, .slots = slots, .slot_bytes = slot_bytes, .lend = false});
  SendChannel& out = ***fabrics[0]->open_send(1, 7);
  RecvChannel& in = ***fabrics[1]->open_recv(0, 7);
  EXPECT_FALSE(out.has_credit());  // not granted yet
  poll();
  u32 sent = 0, received = 0;
  for (u32 round = 0; round < 50; ++round) {
    while (out.has_credit()) {
      const std::vector<std::byte> bytes(sent % 2 ? slot_bytes : 8,
                                         std::byte(sent));  // in a slot, in the notice
      const Piece pieces[] = {Piece(bytes).first(3), Piece(bytes).subspan(3)};
      ASSERT_EQ(fabrics[0]->post(out, pieces, bytes.size(), {5, 6}, 0, 0), Posted::done);
      ++sent;
    }
    EXPECT_LE(sent - received, slots);
    poll();
    for (u32 take = 1 + round % slots; take-- > 0 && in.has_item(); ++received) {
      const auto bytes = in.readable(nullptr);
      ASSERT_EQ(bytes.size(), received % 2 ? slot_bytes : 8u);
      for (const std::byte b : bytes) ASSERT_EQ(b, std::byte(received));
      ASSERT_TRUE(in.advance(bytes.size(), nullptr));
      fabrics[1]->pop(in);
    }
    poll();
  }
  EXPECT_GT(received, 50u);
  EXPECT_EQ(notes[1].last_mark.call, 5u);
  EXPECT_EQ(notes[1].last_mark.signature, 6u);
  EXPECT_TRUE(notes[0].errors.empty() && notes[1].errors.empty());
}

TEST_F(Channels, ALoanIsReadInPlaceAndReleasedByItsCredit) {
  open({.frames = 1, .slots = 0, .slot_bytes = 64, .lend = true});
  SendChannel& out = ***fabrics[0]->open_send(1, 0);
  RecvChannel& in = ***fabrics[1]->open_recv(0, 0);
  poll();
  ASSERT_TRUE(out.lends);
  std::vector<std::byte> memory(1000, std::byte{9});
  const channel::Run runs[] = {{.at = {100, 100, 0}, .bytes = 30},
                               {.at = {500, 500, 30}, .bytes = 70}};
  const Loan loan{.base = reinterpret_cast<u64>(memory.data()), .bytes = 100};
  ASSERT_EQ(fabrics[0]->lend(out, loan, {}, 0), Posted::done);
  EXPECT_FALSE(out.has_credit());
  poll();
  ASSERT_TRUE(in.has_item());
  EXPECT_EQ(in.readable(runs).data(), memory.data() + 100);
  EXPECT_FALSE(in.advance(30, runs));
  EXPECT_EQ(in.readable(runs).data(), memory.data() + 500);
  EXPECT_EQ(in.readable(runs).size(), 70u);
  EXPECT_TRUE(in.advance(70, runs));
  EXPECT_EQ(out.credited, 0u);
  fabrics[1]->pop(in);
  poll();
  EXPECT_EQ(out.credited, 1u);
}

TEST_F(Channels, AnAnswerIsPutWhereTheLenderWantsIt) {
  open({.frames = 1, .slots = 0, .slot_bytes = 64, .lend = true});
  SendChannel &lent = ***fabrics[0]->open_send(1, 0), &back = ***fabrics[1]->open_send(0, 0);
  RecvChannel &seen = ***fabrics[1]->open_recv(0, 0), &answered = ***fabrics[0]->open_recv(1, 0);
  poll();
  std::vector<std::byte> input(100), output(100);
  Loan loan{.base = reinterpret_cast<u64>(input.data()), .bytes = 100};
  loan.answer = {.wanted = true, .base = reinterpret_cast<u64>(output.data()), .number = 3};
  ASSERT_EQ(fabrics[0]->lend(lent, loan, {}, 0), Posted::done);
  poll();
  ASSERT_TRUE(seen.has_item());
  ASSERT_TRUE(seen.landing().open);
  EXPECT_EQ(seen.landing().base, output.data());
  EXPECT_EQ(seen.landing().number, 3u);
  fabrics[1]->pop(seen);
  ASSERT_EQ(fabrics[1]->announce_placed(back, {5, 6}, 0), Posted::done);
  EXPECT_FALSE(back.has_credit());
  poll();
  ASSERT_TRUE(answered.has_item());
  EXPECT_TRUE(answered.front().placed);
  EXPECT_TRUE(answered.advance(100, nullptr));
  // A loan without an answer leaves nothing of the one before it.
  loan.answer = {};
  ASSERT_EQ(fabrics[0]->lend(lent, loan, {}, 0), Posted::done);
  poll();
  ASSERT_TRUE(seen.has_item());
  EXPECT_FALSE(seen.landing().open);
}

TEST(Destination, WhatFitsGoesThereOneAfterTheOther) {
  std::byte memory[100];
  Destination destination;
  EXPECT_EQ(destination.place(10), nullptr) << "nothing is offered";
  EXPECT_EQ(destination.arrived(10), nullptr);
  destination.offer(memory, 100);
  EXPECT_EQ(destination.place(60), memory);
  EXPECT_EQ(destination.place(60), memory) << "the same item, its next part";
  EXPECT_EQ(destination.arrived(60), memory);
  EXPECT_EQ(destination.place(40), memory + 60);
  EXPECT_EQ(destination.arrived(40), memory + 60);
  EXPECT_EQ(destination.place(1), nullptr) << "it is full";
}

TEST(Destination, WhatFollowsAnItemInASlotHasNone) {
  std::byte memory[100];
  Destination destination;
  destination.offer(memory, 100);
  EXPECT_EQ(destination.place(101), nullptr);
  EXPECT_EQ(destination.arrived(101), nullptr);
  EXPECT_EQ(destination.place(10), nullptr);
  EXPECT_EQ(destination.arrived(10), nullptr);
  destination.offer(memory, 100);
  EXPECT_EQ(destination.arrived(10), nullptr) << "came without asking for its place";
  EXPECT_EQ(destination.place(10), nullptr);
}

TEST(Destination, IsDecidedWhenAnItemBegins) {
  std::byte memory[100];
  Destination destination;
  EXPECT_EQ(destination.place(10), nullptr);
  destination.offer(memory, 100);
  EXPECT_EQ(destination.place(10), nullptr) << "its first part is in a slot";
  EXPECT_EQ(destination.arrived(10), nullptr);
  destination.offer(memory, 100);
  EXPECT_EQ(destination.place(10), memory);
  destination.withdraw();
  EXPECT_EQ(destination.place(10), nullptr) << "the memory is its owner's again";
  EXPECT_EQ(destination.arrived(10), nullptr);
}

TEST_F(Channels, GoodbyesAreWaitedFor) {
  open({});
  ASSERT_TRUE(fabrics[0]->open_send(1, 0));
  ASSERT_TRUE(fabrics[1]->open_recv(0, 0));
  poll();
  fabrics[0]->say_bye();
  poll();
  EXPECT_FALSE(fabrics[0]->all_left());
  EXPECT_EQ(fabrics[0]->describe_present(), "rank 1");
  fabrics[1]->say_bye();
  poll();
  EXPECT_TRUE(fabrics[0]->all_left());
  EXPECT_TRUE(fabrics[1]->all_left());
  ends[1].reset();  // after its goodbye a peer may go
  fabrics[0]->poll();
  EXPECT_TRUE(notes[0].errors.empty());
  EXPECT_EQ(notes[0].departures, 1u);
  EXPECT_TRUE(fabrics[0]->has_departed(1));
}

// A notice of a peer that is out of its mind, and what rank 0 says of it.
struct Rogue {
  const char* name;
  std::vector<std::byte> notice;
  const char* complaint;
};

template <class T>
std::vector<std::byte> bytes_of_notice(const T& value, std::size_t size = sizeof(T)) {
  const auto notice = as_notice(value, size);
  return {notice.begin(), notice.end()};
}

class Rogues : public Channels, public ::testing::WithParamInterface<Rogue> {};

TEST_P(Rogues, AreNamed) {
  open({.frames = 1, .slots = 2, .slot_bytes = 64});
  RecvChannel& in = ***fabrics[0]->open_recv(1, 0);
  ASSERT_TRUE(ends[1]->connect(0, ends[0]->address()));
  Notes ignored;
  fabrics[0]->poll();
  while (ends[1]->notify(0, 0, GetParam().notice) == Posted::busy) poll();
  for (int i = 0; i < 20; ++i) fabrics[0]->poll();
  ASSERT_EQ(notes[0].errors.size(), 1u);
  EXPECT_EQ(notes[0].errors[0].code, Code::remote_error);
  EXPECT_EQ(notes[0].errors[0].text.find("rank 1 "), 0u) << notes[0].errors[0].text;
  EXPECT_NE(notes[0].errors[0].text.find(GetParam().complaint), std::string::npos)
      << notes[0].errors[0].text;
  EXPECT_FALSE(in.has_item());
}

INSTANTIATE_TEST_SUITE_P(
    Notices, Rogues,
    ::testing::Values(
        Rogue{"no_such_kind", {std::byte{99}}, "kind that does not exist"},
        Rogue{"too_short", {std::byte{u8(Tag::data)}, std::byte{0}}, "too short"},
        Rogue{"no_such_channel", bytes_of_notice(Data{.channel = 77}), "not its own"},
        Rogue{"wrong_order", bytes_of_notice(Data{.sequence = 4}), "lost the order"},
        Rogue{"more_than_a_slot", bytes_of_notice(Data{.bytes = 65}), "more than a slot"},
        Rogue{"length_lies", bytes_of_notice(Data{.inlined = 1, .bytes = 60}), "another length"},
        Rogue{"credit_for_nothing", bytes_of_notice(Credit{.channel = 0, .consumed = 1}),
              "not its own"},
        Rogue{"frames_differ", bytes_of_notice(Grant{.frames = 3, .depth = 1}),
              "number of frames"}),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace weft::channel
