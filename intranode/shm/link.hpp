// One peer, as an endpoint sees it: the socket, the peer's inbox to write into, the slot of our own
// inbox to read from, and the peer's regions.
//
// The socket carries, each way: one invitation into the inbox, then announcements of regions (both
// with the memory's descriptor), withdrawals, and single bytes that wake a sleeper. An announcement
// is on the socket before any notice can name its key, so who does not know a key reads the socket
// and then knows it, or it is a lie.
// Lifetime: from the first mention of the peer to the endpoint's end. Threads: one at a time.
#pragma once
#include <deque>
#include <optional>

#include "intranode/shm/inbox.hpp"
#include "intranode/shm/regions.hpp"
#include "intranode/shm/store_choice.hpp"

namespace weft::shm {

// What a rank shares with its peers.
struct OwnMemory {
  Inbox inbox;
  OwnRegions regions;
};

class Link {
 public:
  enum class Stage : u8 {
    unknown,   // not introduced yet
    invited,   // introduced; our invitation is sent, the peer's has not come
    up,        // both ways
    breaking,  // something is wrong: `why`; to be told by the next poll
    broken,    // told
  };

  Link(u32 self, u32 peer, const OwnMemory& own) : self_(self), peer_(peer), own_(own) {}

  // The peer has proven himself; `slot` of our inbox is his from now on.
  void open(Fd socket, u32 slot);
  void announce(transport::RegionKey key);
  void withdraw(transport::RegionKey key);
  // Sends announcements that found the socket full. True when nothing is left.
  bool flush();
  void read_socket();
  void wake();                         // the peer, if it sleeps
  void fail(std::string_view reason);  // hangs up, so that the peer knows
  void close() { stage_ = Stage::broken; }

  u32 peer() const { return peer_; }
  Stage stage() const { return stage_; }
  bool is_ready() const { return stage_ == Stage::up && unsent_.empty(); }
  bool is_failing() const { return stage_ == Stage::breaking; }
  bool has_unsent() const { return !unsent_.empty(); }
  // Something is under way that deserves a look at each poll.
  bool is_unsettled() const {
    return stage_ == Stage::invited || has_unsent() || (wanted && is_failing());
  }
  bool has_come_up() { return std::exchange(has_come_up_, false); }  // since asked last
  bool has_slot() const { return in_.has_value(); }
  u32 slot() const { return slot_; }
  int process() const { return process_; }
  const Error& why() const { return why_; }
  RingConsumer& in() { return *in_; }
  Outbox& out() { return *out_; }
  // In which order indices are published, before the look at a sleeper's flag: see light_fence().
  std::memory_order publishing() const {
    return fences_ ? std::memory_order_release : std::memory_order_seq_cst;
  }
  std::span<std::byte> region(transport::RegionKey key);  // empty: no such region

  bool wanted = false;       // connect was called: notices may be delivered
  bool wants_room = false;   // a post was answered busy, and no arm() has spoken of room since
  u64 unreported_bytes = 0;  // put since the last notice, which will tell the receiver
  StoreChoice stores;        // of large puts

 private:
  enum class Kind : u32 { invite = 1, announce, withdraw };
  struct Packet {
    Kind kind;
    u32 name;  // slot or key
    u64 size;  // slots of the inbox, or bytes of the region
  };

  void send(const Packet& packet);
  bool is_sent(const Packet& packet);
  Status take(const Packet& packet, const Fd& file);

  u32 self_, peer_;
  const OwnMemory& own_;
  Stage stage_ = Stage::unknown;
  bool has_come_up_ = false;
  Fd socket_;
  int process_ = 0;
  u32 slot_ = 0;
  std::optional<RingConsumer> in_;
  std::optional<Outbox> out_;
  bool fences_ = false;  // both processes are registered for heavy fences
  PeerRegions regions_;
  std::deque<Packet> unsent_;
  Error why_;
};

}  // namespace weft::shm
