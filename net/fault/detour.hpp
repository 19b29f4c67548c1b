// Posts that leave later or changed: the memory of their bytes, and the queue of those not gone
// yet.
//
// A post kept here is a copy, so its source is free at once. Posts of one (peer, rail) stay in
// order: what comes behind a delayed one waits with it. Copies given to the transport are kept
// until all posted to the peer has left. Threads: those of the transport.
#pragma once
#include <deque>

#include "net/fault/policy.hpp"

namespace weft::fault {

struct Copy {
  bool is_put = false;
  transport::RemoteAddress to;
  std::vector<std::byte> bytes, notice;

  static Copy of_put(transport::RemoteAddress to, std::span<const transport::Piece> pieces,
                     transport::Notice notice);
  static Copy of_notice(transport::Notice notice);
  // One bit of the message's data, where that lies.
  void flip(u64 bit, const Message& message);
  std::size_t size() const { return sizeof(Copy) + bytes.size() + notice.size(); }
};

class Detour {
 public:
  // Of what is delayed; more is refused until some of it has left.
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;

  explicit Detour(transport::Transport& inner) : inner_(inner) {}

  // Now, and what of the copy is still needed is kept. Busy: the copy is whole.
  transport::Posted send(transport::Peer peer, transport::Rail rail, Copy& copy);
  bool has_room_for(std::size_t bytes) const { return delayed_bytes_ + bytes <= most_bytes; }
  void delay(transport::Peer peer, transport::Rail rail, Copy copy, TimePoint until);
  // Something to the peer on this rail waits, and all else has to wait behind it.
  bool is_blocked(transport::Peer peer, transport::Rail rail) const;
  bool is_waiting(transport::Peer peer) const;

  bool is_empty() const { return delayed_bytes_ == 0; }
  std::size_t move(TimePoint now);  // sends what is due: how many posts
  TimePoint next() const;           // when to move; max: nothing waits, or for the transport's room
  void forget(transport::Peer peer);

 private:
  struct Late {
    Copy copy;
    TimePoint due;
  };
  struct Lane {
    transport::Peer peer;
    transport::Rail rail;
    std::deque<Late> late;
    bool full = false;  // the first is due, but the transport took no more
  };
  struct Kept {
    transport::Peer peer;
    std::vector<std::byte> bytes;
  };
  void free_sources();

  transport::Transport& inner_;
  std::vector<Lane> lanes_;
  std::vector<Kept> kept_;  // sources of puts that may still be read
  std::size_t delayed_bytes_ = 0;
};

}  // namespace weft::fault
