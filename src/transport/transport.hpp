// What a transport can do: put bytes into a peer's registered memory, and tell the peer so.
//
// One Transport object serves one rank of one communicator. It knows peers by rank and moves bytes;
// credits, sequence numbers, striping and replay live once, above it, in src/channel. All
// transports keep the rules below and pass one conformance suite (tests/conformance).
//
// Rules
//   Order      on one (peer, rail): a notice is delivered after the bytes of its own put and of all
//   earlier
//              puts of that (peer, rail) are in place and visible; notices arrive in order, once.
//              Nothing is ordered between rails or peers.
//   Sources    a put's pieces must stay unchanged until it is done (returned Posted::done, or
//   `completed`
//              was called with its cookie). A notice's bytes are copied before put or notify
//              returns.
//   Progress   nothing moves by itself: poll() connects, accepts, sends and receives. No call
//   blocks. Sleeping   arm(), then wait for wait_fd() to become readable (poll(2), epoll), then
//   disarm() and poll(). Quiet      once connected, put, notify and poll do not allocate, lock or
//   log. Strangers  who cannot prove that he knows the job's secret is dropped and counted; nothing
//   he sends
//              reaches a Sink.
//   Faults     a peer that dies, or breaks the protocol, is reported once by `broken`; later puts
//   to it
//              return Posted::broken. Other peers are unaffected.
// Threads: one thread at a time (thread-compatible), also poll(); peers are other threads or
// processes.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace weft::transport {

using Peer = u32;    // a rank of the communicator
using Rail = u8;     // 0 .. rails() - 1
using Cookie = u64;  // the caller's name for a put; 0: no completion wanted
using RegionKey = u32;

inline constexpr std::size_t max_notice_bytes = 512;
inline constexpr std::size_t max_pieces = 64;  // of one put

// Memory that peers may put into. Stays valid until released or the transport is destroyed.
struct Region {
  RegionKey key = 0;
  std::span<std::byte> bytes;
};

struct RemoteAddress {
  RegionKey key = 0;  // of the peer's region
  u64 offset = 0;
};

using Piece = std::span<const std::byte>;
using Notice = std::span<const std::byte>;

enum class Posted : u8 {
  done,     // accepted, the source may be reused at once; no completion will be called
  pending,  // accepted, `completed` follows if the cookie is not 0
  busy,     // not accepted: not connected yet, or the queue is full; poll() and try again
  broken,   // not accepted: the peer is gone
};

// Told by poll(), on the polling thread. May call put and notify of the same transport, not poll or
// release.
class Sink {
 public:
  virtual void arrived(Peer from, Notice notice) = 0;  // the bytes are valid during the call only
  virtual void completed(Peer to, Cookie cookie) = 0;
  virtual void broken(Peer peer, const Error& why) = 0;
  // A transport that receives by calls of its own may ask before each part of a put whether its
  // bytes should rather go elsewhere than the put says: where its first byte goes, or null.
  virtual std::byte* place(Peer, Notice, u64 /*put_bytes*/) { return nullptr; }

 protected:
  ~Sink() = default;
};

// Counted since the start, for tests and reports.
struct Counters {
  u64 connections_opened = 0, connections_accepted = 0, strangers_dropped = 0;
  u64 bytes_sent = 0, notices_sent = 0, bytes_received = 0, notices_received = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  virtual const char* name() const = 0;  // "tcp"
  virtual Rail rails() const = 0;
  // Peers are threads of this process: their pointers can be read here as they are.
  virtual bool shares_address_space() const { return false; }

  // What peers need to reach this rank: published through the rendezvous, opaque, at most 512
  // bytes.
  virtual std::string address() const = 0;
  // Starts to connect; poll() finishes it. Both ends call it, in any order, any number of times;
  // which of them opens the connection is the transport's business. `address` is what the peer's
  // address() gave.
  virtual Status connect(Peer peer, const std::string& address) = 0;
  virtual bool connected(Peer peer) const = 0;

  // New zeroed memory that peers can put into (and map, where the transport can).
  virtual Result<Region> allocate(std::size_t bytes) = 0;
  // The caller's memory; Code::unsupported where peers cannot write into foreign memory.
  virtual Result<Region> register_memory(std::span<std::byte> memory) = 0;
  // Nothing may be under way to or from it.
  virtual void release(RegionKey key) = 0;
  // The peer's region in this rank's address space, to read in place; empty where that is not
  // possible. The peer must have told its key in a notice.
  virtual std::span<std::byte> map(Peer peer, RegionKey key) = 0;
  // Peers can map regions of this rank, other processes among them.
  virtual bool maps_regions() const { return false; }
  // A region of a file whose size is sealed (a memfd), all `bytes` of it. The file may be closed
  // afterwards. Code::unsupported where peers cannot map, or for a file that could shrink.
  virtual Result<RegionKey> share_file(int file, std::size_t bytes) {
    return fail(Code::unsupported, "{} cannot share file {} of {} bytes with peers", name(), file,
                bytes);
  }

  // Gathers the pieces (at most max_pieces, none overlapping the target) into the peer's memory,
  // then delivers the notice (at most max_notice_bytes; empty: none). An offset outside the region
  // is the peer's fault to detect: it breaks the connection, it never writes elsewhere.
  virtual Posted put(Peer peer, Rail rail, RemoteAddress to, std::span<const Piece> pieces,
                     Notice notice, Cookie cookie) = 0;
  virtual Posted notify(Peer peer, Rail rail, Notice notice) = 0;
  // True once all that was posted to the peer has left this rank: sources are free, kernel buffers
  // hold it or the peer has it.
  virtual bool fence(Peer peer) = 0;
  // The same in part: bytes ever posted on a rail, and how many of them have left, in order. A
  // transport whose posts have left when they return keeps no count.
  virtual u64 posted(Peer, Rail) const { return 0; }
  virtual u64 departed(Peer, Rail) const { return 0; }
  // No byte from or to this rank may pass but in a post, although memory can be mapped: nothing is
  // lent either way.
  virtual bool posts_every_byte() const { return false; }
  // Longer puts are better cut: the peer works on one part while the next is on its way.
  virtual std::size_t best_put_bytes() const { return SIZE_MAX; }
  // Whatever was posted has left when the post returns: fence is always true.
  virtual bool departs_at_once() const { return false; }

  // Ends the connection to a peer as a cut cable would: both ends are told by `broken`. For faults
  // on purpose; nothing else calls it.
  virtual void cut(Peer peer) = 0;

  // Posts of few bytes may be kept back, so that many leave together: sends them now.
  virtual void push() {}
  // Moves what can be moved; returns how many events it told the sink, 0 when idle. Pushes too.
  virtual std::size_t poll(Sink& sink) = 0;

  // Becomes readable when an armed transport has something to poll. -1: never (nothing to wait
  // for).
  virtual int wait_fd() const = 0;
  // Announces that the caller will sleep on wait_fd(). False: something has come, poll() first.
  virtual bool arm() = 0;
  virtual void disarm() = 0;

  // What poll() is doing about a peer, for error texts: "connecting to 127.0.0.1:4711 for 2.1 s".
  virtual std::string describe(Peer peer) const = 0;
  virtual Counters counters() const = 0;
};

}  // namespace weft::transport
