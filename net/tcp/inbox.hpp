// What comes in on one socket: reads frames, puts payloads in place, tells the sink.
//
// A payload's rest is read straight into its region; heads and small payloads come many at a time
// through a scratch buffer that all inboxes of an endpoint share, for nothing stays in it between
// calls. Among large puts no more than a head is read ahead, lest their bytes be copied once more
// on their way through the buffer. A put's target is looked up again for every part of it, so that
// a peer who keeps a put open across a release writes nowhere; the sink may name another, and is
// asked as often. Threads: its endpoint's.
#pragma once
#include <array>

#include "net/tcp/frame.hpp"
#include "transport/region_table.hpp"

namespace weft::tcp {

class Inbox {
 public:
  enum class Outcome : u8 {
    drained,   // nothing more for now
    more,      // there may be more, others should have their turn
    ended,     // the peer closed
    failed,    // `error` is the errno
    violated,  // the peer broke the protocol, violation() says how
  };
  struct Read {
    Outcome outcome;
    int error = 0;
    std::size_t events = 0;  // told the sink
  };
  struct Context {
    const transport::RegionTable& regions;
    std::span<std::byte> scratch;
    transport::Counters& counters;
    transport::Sink& sink;
    transport::Peer from;
  };

  // Puts that are worth a system call for their head alone; copying fewer bytes takes less time.
  static constexpr u64 large_put_bytes = 16 << 10;
  // After so many frames that were no large put, the next is not expected to be one.
  static constexpr u32 among_small = 4;

  Read read(int socket, const Context& context);
  std::string violation() const;

 private:
  std::size_t ahead(std::size_t room) const;
  bool take(std::span<const std::byte> bytes, const Context& context, std::size_t* events);
  bool take_head(std::span<const std::byte>* bytes, const Context& context);
  std::byte* target(const Context& context) const;
  std::byte* target_in_region(const Context& context) const;
  void deliver_if_whole(const Context& context, std::size_t* events);

  Head head_;
  std::array<std::byte, most_head_bytes> head_bytes_;  // head and notice, as they come
  std::size_t head_have_ = 0;
  bool in_put_ = false;  // the head is whole, put_have_ bytes of its put are in place
  u64 put_have_ = 0;
  u32 small_frames_ = among_small;  // since the last large put
};

}  // namespace weft::tcp
