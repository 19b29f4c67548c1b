// The segment through which a rank is told things: one ring of notices for each peer, and a flag
// that says the owner sleeps.
//
// What all peers write when they have sent something, the rings' `written` indices, lie side by
// side, eight to a cache line: polling 64 silent peers reads eight lines that stay in the owner's
// cache. A notice of up to 48 bytes costs two lines: its record and its index.
//
//   line 0        asleep
//   lines 1 ..    written[slots]
//   each slot     a line {read, starved}, then the records
//
// A peer gets a slot when it is introduced and keeps it for good. Everything starts as zero, as
// fresh memory is. Lifetime: Inbox owns the segment, Outbox a mapping of it. Threads: an Inbox and
// an Outbox one thread each.
#pragma once
#include <optional>
#include <vector>

#include "base/spsc_ring.hpp"
#include "intranode/shm/segment.hpp"

namespace weft::shm {

// Where things lie, in the owner's mapping or in a peer's.
class InboxView {
 public:
  static constexpr u32 max_slots = 1024;
  static std::size_t bytes_for(u32 slots);

  InboxView(std::span<std::byte> memory, u32 slots);

  std::atomic<u32>& asleep() const;
  std::atomic<u64>& written(u32 slot) const;
  std::atomic<u64>& read(u32 slot) const;
  std::atomic<u32>& starved(u32 slot) const;  // the sender sleeps until there is room
  std::span<std::byte> records(u32 slot) const;

 private:
  std::byte* control_of(u32 slot) const;
  std::byte* memory_;
  u32 slots_;
};

class Inbox {
 public:
  static Result<Inbox> create(u32 slots);

  int file() const { return segment_.file.get(); }
  u32 slots() const { return slots_; }
  const InboxView& view() const { return view_; }
  RingConsumer consumer(u32 slot) const;

 private:
  Inbox(Segment segment, u32 slots);
  Segment segment_;
  u32 slots_;
  InboxView view_;
};

// A peer's inbox, to write into.
class Outbox {
 public:
  // Checks what the peer says of its inbox: `slots` in all, of which `slot` is ours.
  static Result<Outbox> open(int file, u32 slots, u32 slot);

  RingProducer& ring() { return ring_; }
  std::atomic<u32>& starved() const { return view_.starved(slot_); }
  // Whether the owner sleeps and nobody has woken it yet: then the caller must. Called after the
  // news is published; the ring's and this flag's order see to it that no news is slept over.
  bool claim_wake_up() const {
    return view_.asleep().load(std::memory_order_seq_cst) &&
           view_.asleep().exchange(0, std::memory_order_seq_cst);
  }

 private:
  Outbox(Mapping pages, u32 slots, u32 slot);
  Mapping pages_;
  InboxView view_;
  u32 slot_;
  RingProducer ring_;
};

}  // namespace weft::shm
