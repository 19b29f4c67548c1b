// The segment through which a rank is told things: one ring of notices for each peer, and a flag
// that says the owner sleeps.
//
// Polling a silent peer reads one line of its ring, which stays in the owner's cache. A notice of
// up to 48 bytes costs the move of one line.
//
//   line 0        asleep, fences
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

// Where things lie, in the owner's mapping or in a peer's. A poll looks at every slot, so the
// arithmetic is inline.
class InboxView {
 public:
  static constexpr u32 max_slots = 1024;
  // Enough for the credits of a few channels, small enough for the rings of 64 peers to stay in
  // cache.
  static constexpr std::size_t ring_capacity = 16 << 10;
  static constexpr std::size_t bytes_for(u32 slots) {
    return cache_line_bytes + slots * slot_bytes;
  }

  InboxView(std::span<std::byte> memory, u32 slots)
      : memory_(memory.data()), slots_(memory_ + cache_line_bytes) {
    WEFT_ASSERT(memory.size() == bytes_for(slots));
  }

  std::atomic<u32>& asleep() const { return *reinterpret_cast<std::atomic<u32>*>(memory_); }
  // The owner's process is registered for heavy fences (base/asymmetric_fence.hpp).
  std::atomic<u32>& fences() const { return reinterpret_cast<std::atomic<u32>*>(memory_)[1]; }
  std::atomic<u64>& read(u32 slot) const { return control(slot).read; }
  // The sender sleeps until there is room.
  std::atomic<u32>& starved(u32 slot) const { return control(slot).starved; }
  std::span<std::byte> records(u32 slot) const {
    return {slots_ + slot * slot_bytes + sizeof(Control), ring_capacity};
  }

 private:
  struct alignas(cache_line_bytes) Control {
    std::atomic<u64> read;
    std::atomic<u32> starved;
  };
  static constexpr std::size_t slot_bytes = cache_line_bytes + ring_capacity;
  static_assert(sizeof(Control) == cache_line_bytes);
  Control& control(u32 slot) const {
    return *reinterpret_cast<Control*>(slots_ + slot * slot_bytes);
  }

  std::byte* memory_;
  std::byte* slots_;
};

class Inbox {
 public:
  static Result<Inbox> create(u32 slots);
  bool fences() const { return view_.fences().load(std::memory_order_relaxed); }

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
  bool owner_fences() const { return view_.fences().load(std::memory_order_relaxed); }
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
