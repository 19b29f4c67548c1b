// Ranks as processes: traffic between them, and what the others see when one is killed.
#include <gtest/gtest.h>
#include <poll.h>

#include <csignal>
#include <fstream>
#include <map>
#include <vector>

#include "tests/conformance/shm/board.hpp"

namespace weft::shm::test {
namespace {

using transport::Peer;
using transport::Posted;
using transport::Region;
using transport::Transport;

// What a child says by its exit status; the parent's failure text names it.
enum Exit { fine = 0, timed_out = 11, wrong_bytes = 12, wrong_break = 13, lost_wake_up = 14 };

struct Sink : transport::Sink {
  void arrived(Peer from, transport::Notice notice) override { on_arrived(from, notice); }
  void completed(Peer, transport::Cookie) override {}
  void broken(Peer peer, const Error&) override { ++breaks[peer]; }
  std::function<void(Peer, transport::Notice)> on_arrived = [](Peer, transport::Notice) {};
  std::map<Peer, int> breaks;
};

struct Rank {
  Rank(Board& board, const Secret& job, u32 own_rank, u32 all_ranks)
      : self(own_rank), ranks(all_ranks), transport(create(job, self, ranks).value()) {
    board.publish(self, transport->address());
    for (u32 peer = 0; peer < ranks; ++peer)
      if (peer != self) WEFT_ASSERT(transport->connect(peer, board.address_of(peer)));
  }
  bool until(const std::function<bool()>& holds) {
    const Deadline deadline = hang();
    while (!holds()) {
      if (transport->poll(sink) == 0) std::this_thread::yield();
      if (deadline.passed()) return false;
    }
    return true;
  }
  bool all_connected() {
    return until([&] {
      for (u32 peer = 0; peer < ranks; ++peer)
        if (peer != self && !transport->connected(peer)) return false;
      return true;
    });
  }
  u32 self, ranks;
  Sink sink;
  std::unique_ptr<Transport> transport;
};

// Every rank tells its key, then fills its part of every peer's region again and again; a notice
// carries the round, and the receiver looks for it in all of the part. A rank starts a round when
// it has heard the one before from all, so a peer may be a round behind: there are two parts.
int send_rounds(Board& board, const Secret& job, u32 self, u32 ranks) {
  constexpr u32 rounds = 300;
  constexpr std::size_t part = 3000;
  Rank rank(board, job, self, ranks);
  const Region region = rank.transport->allocate(2 * part * ranks).value();
  std::vector<u32> keys(ranks), heard(ranks);
  bool wrong = false;
  const auto place_of = [&](u32 from, u32 round) { return (2 * from + round % 2) * part; };
  rank.sink.on_arrived = [&](Peer from, transport::Notice notice) {
    if (notice.size() == sizeof(u32)) return void(std::memcpy(&keys[from], notice.data(), 4));
    const u32 round = ++heard[from];
    const std::size_t place = place_of(from, round);
    for (const std::byte b : region.bytes.subspan(place, part))
      wrong = wrong || b != static_cast<std::byte>(round);
    wrong = wrong || notice[0] != static_cast<std::byte>(round);
  };
  if (!rank.all_connected()) return timed_out;
  const auto to_all = [&](const std::function<Posted(Peer)>& post) {
    for (Peer peer = 0; peer < ranks; ++peer)
      if (peer != self && !rank.until([&] { return post(peer) == Posted::done; })) return false;
    return true;
  };
  if (!to_all([&](Peer peer) {
        return rank.transport->notify(peer, 0, std::as_bytes(std::span(&region.key, 1)));
      }))
    return timed_out;
  for (u32 round = 1; round <= rounds; ++round) {
    const std::vector<std::byte> bytes(part, static_cast<std::byte>(round));
    const transport::Piece piece(bytes);
    const bool sent = to_all([&](Peer peer) {
      if (keys[peer] == 0) return Posted::busy;
      return rank.transport->put(peer, 0, {keys[peer], place_of(self, round)}, {&piece, 1},
                                 std::span(bytes).first(1), 0);
    });
    const bool answered = sent && rank.until([&] {
      for (u32 peer = 0; peer < ranks; ++peer)
        if (peer != self && heard[peer] < round) return false;
      return true;
    });
    if (!answered) return timed_out;
  }
  ++board.done;  // and stays until all have heard all
  if (!rank.until([&] { return board.done == ranks; })) return timed_out;
  return wrong ? wrong_bytes : fine;
}

TEST(ShmProcesses, EveryoneToEveryone) {
  constexpr u32 ranks = 4;
  Board* const board = Board::make();
  const Secret job = Secret::random();
  std::vector<pid_t> children;
  for (u32 self = 0; self < ranks; ++self)
    children.push_back(fork_rank([&] { return send_rounds(*board, job, self, ranks); }));
  for (u32 self = 0; self < ranks; ++self) EXPECT_EQ(wait_for(children[self]), fine) << self;
}

// Waits, awake or asleep, for the end of `victim`, and for no one else's.
int survive(Board& board, const Secret& job, u32 self, u32 ranks, u32 victim, bool asleep) {
  Rank rank(board, job, self, ranks);
  if (!rank.all_connected()) return timed_out;
  ++board.connected;
  while (rank.sink.breaks.empty()) {
    if (!asleep) {
      if (!rank.until([&] { return !rank.sink.breaks.empty(); })) return timed_out;
    } else if (rank.transport->poll(rank.sink) == 0 && rank.transport->arm()) {
      pollfd wait{rank.transport->wait_fd(), POLLIN, 0};
      const int woken = ::poll(&wait, 1, 60'000);
      rank.transport->disarm();
      if (woken <= 0) return lost_wake_up;
    }
  }
  ++board.done;
  if (!rank.until([&] { return board.done == ranks - 1; })) return timed_out;
  const bool right = rank.sink.breaks == std::map<Peer, int>{{victim, 1}} &&
                     rank.transport->notify(victim, 0, std::array{std::byte{1}}) == Posted::broken;
  return right ? fine : wrong_break;
}

TEST(ShmProcesses, AKilledPeerIsSeenByAllAndLeavesNothing) {
  constexpr u32 ranks = 4, victim = 2;
  Board* const board = Board::make();
  const Secret job = Secret::random();
  std::vector<pid_t> children;
  for (u32 self = 0; self < ranks; ++self)
    children.push_back(fork_rank([&] {
      if (self != victim) return survive(*board, job, self, ranks, victim, self == 3);
      Rank rank(*board, job, self, ranks);
      rank.all_connected();
      ++board->connected;
      rank.until([] { return false; });  // busy polling until it is killed
      return int(timed_out);
    }));
  const Deadline deadline = hang();
  while (board->connected < ranks && !deadline.passed()) std::this_thread::yield();
  ::kill(children[victim], SIGKILL);
  for (u32 self = 0; self < ranks; ++self)
    EXPECT_EQ(wait_for(children[self]), self == victim ? 128 + SIGKILL : fine) << self;

  const std::string name = board->address_of(victim).substr(4);
  std::ifstream sockets("/proc/net/unix");
  for (std::string line; std::getline(sockets, line);)
    EXPECT_EQ(line.find(name), std::string::npos) << line;
}

}  // namespace
}  // namespace weft::shm::test
