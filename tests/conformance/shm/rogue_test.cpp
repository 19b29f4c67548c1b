// A peer that knows the secret and breaks the protocol: it is told as broken, and hurts nobody.
//
// The rogue is rank 0 of three and does by hand what a Link would do; rank 1 is its victim, and
// rank 2 an innocent peer of the victim.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "intranode/shm/inbox.hpp"
#include "intranode/shm/introduction.hpp"
#include "intranode/shm/shm.hpp"
#include "intranode/shm/socket.hpp"

namespace weft::shm {
namespace {

using transport::Posted;

struct Log : transport::Sink {
  void arrived(transport::Peer, transport::Notice) override { ++arrivals; }
  void completed(transport::Peer, transport::Cookie) override {}
  void broken(transport::Peer peer, const Error& why) override { breaks.emplace_back(peer, why); }
  int arrivals = 0;
  std::vector<std::pair<transport::Peer, Error>> breaks;
};

// As Links send it.
struct Packet {
  u32 kind, name;
  u64 size;
};
enum : u32 { invite = 1, announce, withdraw };

class Rogue : public testing::Test {
 protected:
  Rogue() {
    EXPECT_TRUE(victim_->connect(2, innocent_->address()));
    EXPECT_TRUE(innocent_->connect(1, victim_->address()));
    EXPECT_TRUE(victim_->connect(0, victim_->address()));  // any: the rogue calls, being lower
    until([&] { return victim_->connected(2) && innocent_->connected(1); });
    introduce();
  }

  bool until(const std::function<bool()>& holds) {
    const Deadline deadline = Deadline::after(std::chrono::seconds(60));
    while (!holds()) {
      if (victim_->poll(log_) + innocent_->poll(innocent_log_) == 0) std::this_thread::yield();
      if (deadline.passed()) return false;
    }
    return true;
  }

  void introduce() {
    const Self self{.secret = job_.derive("shm"), .rank = 0, .ranks = 3};
    Fd socket = connect_to(victim_->address().substr(4)).value();
    Introduction introduction = Introduction::call(self, std::move(socket), 1);
    ASSERT_TRUE(until([&] { return introduction.step() == Introduction::Outcome::proven; }));
    socket_ = introduction.take_socket();
    Packet packet{};
    Received received;
    ASSERT_TRUE(until([&] {
      received = receive_packet(socket_.get(), std::as_writable_bytes(std::span(&packet, 1)));
      return received.kind == Received::packet;
    }));
    ASSERT_EQ(packet.kind, invite);
    slot_ = packet.name;
    pages_ = map_segment(received.file.get(), InboxView::bytes_for(2)).value();
  }

  void send(const Packet& packet, int file = -1) {
    EXPECT_EQ(send_packet(socket_.get(), std::as_bytes(std::span(&packet, 1)), file), Sent::whole);
  }
  void invite_properly() {
    inbox_ = Inbox::create(2).value();
    send({invite, 0, 2}, inbox_->file());
    ASSERT_TRUE(until([&] { return victim_->connected(0); }));
  }
  InboxView victims_inbox() { return InboxView(pages_.bytes(), 2); }

  void expect_broken_once() {
    ASSERT_TRUE(until([&] { return !log_.breaks.empty(); }));
    for (int i = 0; i < 1000; ++i) victim_->poll(log_);
    ASSERT_EQ(log_.breaks.size(), 1u);
    EXPECT_EQ(log_.breaks[0].first, 0u);
    EXPECT_EQ(log_.breaks[0].second.code, Code::remote_error);
    EXPECT_EQ(log_.arrivals, 0);
    EXPECT_EQ(victim_->notify(0, 0, std::array{std::byte{1}}), Posted::broken);
    EXPECT_EQ(victim_->notify(2, 0, std::array{std::byte{1}}), Posted::done);
    EXPECT_TRUE(until([&] { return innocent_log_.arrivals == 1; }));
    EXPECT_TRUE(innocent_log_.breaks.empty());
  }

  Secret job_ = Secret::random();
  std::unique_ptr<transport::Transport> victim_ = create(job_, 1, 3).value();
  std::unique_ptr<transport::Transport> innocent_ = create(job_, 2, 3).value();
  Log log_, innocent_log_;
  Fd socket_;
  u32 slot_ = 0;
  Mapping pages_;
  std::optional<Inbox> inbox_;
};

TEST_F(Rogue, BehavesAndIsServed) {
  invite_properly();
  EXPECT_EQ(victim_->notify(0, 0, std::array{std::byte{1}}), Posted::done);
  RingConsumer in = inbox_->consumer(0);
  ASSERT_TRUE(in.front());
  EXPECT_EQ(in.front()->size(), sizeof(u64) + 1);
}

// What the rogue writes where the victim looks for its first notice.
void write_header(const InboxView& inbox, u32 slot, u32 payload_bytes, u32 kind) {
  u64& header = *reinterpret_cast<u64*>(inbox.records(slot).data());
  std::atomic_ref<u64>(header).store(std::bit_cast<u64>(ring_detail::Record{payload_bytes, kind}));
}

TEST_F(Rogue, ARecordThatIsNone) {
  invite_properly();
  write_header(victims_inbox(), slot_, 8, 3);  // neither a record nor a skip
  expect_broken_once();
}

TEST_F(Rogue, ARecordLongerThanTheRing) {
  invite_properly();
  write_header(victims_inbox(), slot_, 0xffff'fff0, 1);
  expect_broken_once();
}

TEST_F(Rogue, ANoticeLongerThanAnyMayBe) {
  invite_properly();
  write_header(victims_inbox(), slot_, transport::max_notice_bytes + 9, 1);
  expect_broken_once();
}

// Followed, it would come back to itself for ever.
TEST_F(Rogue, ASkipOfTheWholeRing) {
  invite_properly();
  write_header(victims_inbox(), slot_, 0, 2);
  expect_broken_once();
}

TEST_F(Rogue, AnInboxOfAnotherSize) {
  inbox_ = Inbox::create(2).value();
  send({invite, 0, 3}, inbox_->file());
  expect_broken_once();
}

TEST_F(Rogue, ASlotThatIsNotThere) {
  inbox_ = Inbox::create(2).value();
  send({invite, 2, 2}, inbox_->file());
  expect_broken_once();
}

TEST_F(Rogue, AnInvitationWithoutAnInbox) {
  send({invite, 0, 2});
  expect_broken_once();
}

TEST_F(Rogue, ASecondInvitation) {
  invite_properly();
  send({invite, 0, 2}, inbox_->file());
  expect_broken_once();
}

// Memory that could shrink under the writer, who would die of it.
TEST_F(Rogue, ARegionOfNoFixedSize) {
  invite_properly();
  Fd file(::memfd_create("soft", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(file.get(), 4096), 0);
  send({announce, 1024, 4096}, file.get());
  expect_broken_once();
}

TEST_F(Rogue, ARegionSmallerThanItSays) {
  invite_properly();
  const Segment segment = create_segment(4096).value();
  send({announce, 1024, 8192}, segment.file.get());
  expect_broken_once();
}

TEST_F(Rogue, AKeyThatIsTaken) {
  invite_properly();
  const Segment segment = create_segment(4096).value();
  send({announce, 1024, 4096}, segment.file.get());
  send({announce, 1024, 4096}, segment.file.get());
  expect_broken_once();
}

TEST_F(Rogue, APacketOfNoKind) {
  invite_properly();
  send({77, 0, 0});
  expect_broken_once();
}

TEST_F(Rogue, AReadIndexThatRunsAheadMakesNoRoom) {
  invite_properly();
  inbox_->view().read(0) = u64{1} << 40;
  int taken = 0;
  while (victim_->notify(0, 0, std::array{std::byte{1}}) == Posted::done) ASSERT_LT(++taken, 1000);
  EXPECT_EQ(taken, 256);
}

// Comes in a second time under the same rank.
TEST_F(Rogue, ATwinIsAStranger) {
  invite_properly();
  const Fd first = std::move(socket_);
  const Self self{.secret = job_.derive("shm"), .rank = 0, .ranks = 3};
  Introduction twin = Introduction::call(self, connect_to(victim_->address().substr(4)).value(), 1);
  ASSERT_TRUE(until([&] {
    twin.step();
    return victim_->counters().strangers_dropped == 1;
  }));
  EXPECT_TRUE(victim_->connected(0));
}

}  // namespace
}  // namespace weft::shm
