// Outbox and inbox on a pair of sockets: batching, any cutting of the stream, and noise.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <random>

#include "net/tcp/inbox.hpp"
#include "net/tcp/outbox.hpp"

namespace weft::tcp {
namespace {

using transport::Posted;

struct Pair {
  explicit Pair(int type) {
    int fds[2];
    EXPECT_EQ(::socketpair(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
    left = Fd(fds[0]);
    right = Fd(fds[1]);
  }
  Fd left, right;
};

struct Ear : transport::Sink {
  void arrived(transport::Peer, transport::Notice notice) override {
    notices.emplace_back(notice.begin(), notice.end());
  }
  void completed(transport::Peer, transport::Cookie) override {}
  void broken(transport::Peer, const Error&) override {}
  std::byte* place(transport::Peer, transport::Notice notice, u64) override {
    return notice.size() == 8 ? elsewhere : nullptr;
  }
  std::vector<std::vector<std::byte>> notices;
  std::byte* elsewhere = nullptr;
};

struct Receiver {
  Inbox::Read read(int socket) { return inbox.read(socket, {regions, scratch, counters, ear, 0}); }
  transport::RegionTable regions;
  std::vector<std::byte> scratch = std::vector<std::byte>(4096);
  transport::Counters counters;
  Ear ear;
  Inbox inbox;
};

std::vector<std::byte> random_bytes(std::mt19937_64& random, std::size_t bytes) {
  std::vector<std::byte> made(bytes);
  for (std::byte& byte : made) byte = static_cast<std::byte>(random());
  return made;
}

Head put_head(transport::RemoteAddress to, u64 bytes, std::size_t notice_bytes) {
  return {to.key, static_cast<u16>(notice_bytes), Head::Kind::put, 0, to.offset, bytes};
}

TEST(Outbox, ManySmallPostsLeaveInOneCall) {
  // On a socket that keeps message boundaries, messages are system calls.
  const Pair pair(SOCK_SEQPACKET);
  Outbox outbox = Outbox::make().value();
  const std::vector<std::byte> bytes(100), notice(20);
  const transport::Piece piece(bytes);
  for (int i = 0; i < 200; ++i)
    ASSERT_EQ(outbox.post(put_head({1, 0}, 100, 20), {&piece, 1}, notice, 9), Posted::done);
  ASSERT_EQ(outbox.flush(pair.left.get()), 0);
  EXPECT_TRUE(outbox.is_empty());
  EXPECT_FALSE(outbox.has_finished()) << "they were copied: there is nothing to tell";
  std::vector<std::byte> into(1 << 20);
  EXPECT_EQ(::recv(pair.right.get(), into.data(), into.size(), 0),
            static_cast<ssize_t>(200 * (sizeof(Head) + 20 + 100)));
  EXPECT_EQ(::recv(pair.right.get(), into.data(), into.size(), 0), -1) << "a second call";
}

TEST(Outbox, IsBoundedAndTellsLargePostsInOrder) {
  const Pair pair(SOCK_STREAM);
  Outbox outbox = Outbox::make().value();
  const std::vector<std::byte> bytes(100'000);
  const transport::Piece piece(bytes);
  u64 posted = 0;
  while (outbox.post(put_head({1, 0}, bytes.size(), 0), {&piece, 1}, {}, posted + 1) ==
         Posted::pending)
    ASSERT_LT(++posted, 10'000u);
  std::vector<std::byte> into(1 << 20);
  u64 told = 0;
  while (!outbox.is_empty()) {
    ASSERT_EQ(outbox.flush(pair.left.get()), 0);
    while (outbox.has_finished()) ASSERT_EQ(outbox.take_finished(), ++told);
    if (outbox.is_blocked()) {
      while (::recv(pair.right.get(), into.data(), into.size(), 0) > 0) continue;
      outbox.unblock();
    }
  }
  EXPECT_EQ(told, posted);
}

TEST(Inbox, AnyCuttingOfTheStream) {
  const u64 seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  const Pair out(SOCK_STREAM), in(SOCK_STREAM);
  Receiver receiver;
  const transport::Region region = receiver.regions.allocate(1 << 20).value();
  Outbox outbox = Outbox::make().value();

  // Frames of all sizes into places of their own, sent into one pair and passed on in random cuts.
  std::vector<std::byte> right(region.bytes.size());
  std::vector<std::vector<std::byte>> sources, notices;
  for (u64 at = 0; at + 30'000 < right.size();) {
    sources.push_back(random_bytes(random, random() % (random() % 4 ? 200 : 30'000)));
    notices.push_back(random_bytes(random, random() % (transport::max_notice_bytes + 1)));
    std::copy(sources.back().begin(), sources.back().end(), right.data() + at);
    const transport::Piece piece(sources.back());
    const Head head = put_head({region.key, at}, piece.size(), notices.back().size());
    std::vector<std::byte> stream(1 << 16);
    ASSERT_NE(outbox.post(head, {&piece, 1}, notices.back(), 0), Posted::busy);
    ASSERT_EQ(outbox.flush(out.left.get()), 0);
    ASSERT_TRUE(outbox.is_empty());
    const ssize_t got = ::recv(out.right.get(), stream.data(), stream.size(), 0);
    for (std::size_t sent = 0; sent < static_cast<std::size_t>(got);) {
      const std::size_t part = std::min(1 + random() % (random() % 2 ? 5 : 20'000),
                                        static_cast<std::size_t>(got) - sent);
      ASSERT_EQ(::send(in.left.get(), stream.data() + sent, part, 0), static_cast<ssize_t>(part));
      sent += part;
      if (random() % 3) { ASSERT_LE(receiver.read(in.right.get()).outcome, Inbox::Outcome::more); }
    }
    at += piece.size();
  }
  while (receiver.read(in.right.get()).outcome == Inbox::Outcome::more) continue;
  EXPECT_TRUE(std::equal(right.begin(), right.end(), region.bytes.begin()));
  std::erase_if(notices, [](const auto& notice) { return notice.empty(); });
  EXPECT_EQ(receiver.ear.notices, notices);
}

TEST(Inbox, NoiseWritesNowhereItMayNot) {
  const u64 seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  int violated = 0;
  for (int round = 0; round < 300; ++round) {
    const Pair pair(SOCK_STREAM);
    Receiver receiver;
    // The middle of a larger piece of memory, whose edges must stay as they are.
    std::vector<std::byte> memory(3000, std::byte{0x5a});
    const auto key = receiver.regions.add(std::span(memory).subspan(1000, 1000))->key;
    for (int frame = 0; frame < 20; ++frame) {
      Head head = put_head({key, random() % 1200}, random() % 600, random() % 300);
      if (random() % 8 == 0) head.offset = random();
      if (random() % 8 == 0) head.put_bytes = random();
      if (random() % 8 == 0) head.key = static_cast<u32>(random());
      head.kind = static_cast<Head::Kind>(random() % 4);
      const auto noise = random_bytes(random, random() % 900);
      ::send(pair.left.get(), &head, sizeof head, 0);
      ::send(pair.left.get(), noise.data(), noise.size(), 0);
    }
    Inbox::Read read{Inbox::Outcome::more};
    while (read.outcome == Inbox::Outcome::more) read = receiver.read(pair.right.get());
    violated += read.outcome == Inbox::Outcome::violated;
    EXPECT_NE(receiver.inbox.violation(), "");
    for (std::size_t i = 0; i < 1000; ++i) {
      ASSERT_EQ(memory[i], std::byte{0x5a});
      ASSERT_EQ(memory[2000 + i], std::byte{0x5a});
    }
  }
  EXPECT_GT(violated, 200);
}

TEST(Inbox, APutLeftOpenAcrossAReleaseEndsThere) {
  const Pair pair(SOCK_STREAM);
  Receiver receiver;
  const transport::Region region = receiver.regions.allocate(4096).value();
  const Head head = put_head({region.key, 0}, 4096, 0);
  const std::vector<std::byte> half(2048, std::byte{1});
  ::send(pair.left.get(), &head, sizeof head, 0);
  ::send(pair.left.get(), half.data(), half.size(), 0);
  EXPECT_EQ(receiver.read(pair.right.get()).outcome, Inbox::Outcome::drained);
  receiver.regions.hide(region.key);
  ::send(pair.left.get(), half.data(), half.size(), 0);
  EXPECT_EQ(receiver.read(pair.right.get()).outcome, Inbox::Outcome::violated);
  receiver.regions.give_back(region.key);
}

TEST(Inbox, TheSinkMayPlaceAPutElsewhereAndTakeThatBack) {
  const Pair pair(SOCK_STREAM);
  Receiver receiver;
  const transport::Region region = receiver.regions.allocate(4096).value();
  std::vector<std::byte> elsewhere(4096);
  receiver.ear.elsewhere = elsewhere.data();
  const auto send = [&](std::span<const std::byte> bytes) {
    ::send(pair.left.get(), bytes.data(), bytes.size(), 0);
    EXPECT_EQ(receiver.read(pair.right.get()).outcome, Inbox::Outcome::drained);
  };
  const Head head = put_head({region.key, 0}, 4096, 8), plain = put_head({region.key, 0}, 10, 9);
  const std::vector<std::byte> half(2048, std::byte{1}), notice(9);
  send(std::as_bytes(std::span(&head, 1)));
  send(std::span(notice).first(8));
  send(half);
  EXPECT_TRUE(std::equal(half.begin(), half.end(), elsewhere.begin()));
  receiver.ear.elsewhere = nullptr;  // its owner wants it back in the middle of the put
  send(half);
  EXPECT_TRUE(std::equal(half.begin(), half.end(), region.bytes.begin() + 2048));
  EXPECT_EQ(elsewhere[2048], std::byte{0});
  EXPECT_EQ(region.bytes[0], std::byte{0});
  EXPECT_EQ(receiver.ear.notices.size(), 1u);
  // A put that the sink lets go where it says.
  receiver.ear.elsewhere = elsewhere.data();
  send(std::as_bytes(std::span(&plain, 1)));
  send(notice);
  send(std::span(half).first(10));
  EXPECT_EQ(region.bytes[9], std::byte{1});
  EXPECT_EQ(receiver.ear.notices.size(), 2u);
}

}  // namespace
}  // namespace weft::tcp
