// The two ends of a channel in one frame, and what lies between them: items and credits.
//
// A channel (sender, receiver, port) carries messages in order; a message is one or more items, an
// item is a filled slot of the receiver or a loan of the sender's memory. `depth` items may be
// unconsumed; the receiver grants that right once and renews it with credits, as absolute counters.
// Lifetime: owned by the Fabric, stable addresses. Threads: those of the Fabric.
#pragma once
#include <vector>

#include "channel/loan_gate.hpp"
#include "channel/wire.hpp"

namespace weft::channel {

// A stretch of a message: the same atoms at one offset in a user's vector and one in a scratch
// plane.
struct Run {
  u64 vector = 0, plane = 0, bytes = 0;
};

// A message read in place in the sender's memory, in the order of its runs.
struct Loan {
  const std::byte* base = nullptr;
  const Run* runs = nullptr;
  bool in_plane = false;
  u64 bytes = 0;

  const std::byte* at(u32 run) const {
    return base + (in_plane ? runs[run].plane : runs[run].vector);
  }
};

inline constexpr u8 unbound = 0xff;

struct SendChannel {
  transport::Peer peer = 0;
  u32 name = 0;
  u32 remote_name = 0;  // known once granted
  u8 frame = 0;
  u8 lane = unbound;  // the lane whose step waits here
  transport::Rail rail = 0;
  bool lends = false;  // large messages are read in place
  u32 depth = 0;       // 0: not granted yet
  u32 slot_bytes = 0;
  transport::RemoteAddress slots;
  u64 issued = 0, turn = 0;    // messages: tickets given out, messages fully posted
  u64 sent = 0, credited = 0;  // items

  bool has_credit() const { return sent - credited < depth; }
};

struct Item {
  const std::byte* data = nullptr;  // nullptr: a loan
  const Loan* loan = nullptr;       // to be looked at only inside the gate
  LoanGate* gate = nullptr;
  u64 bytes = 0;
  CallMark call;
  u32 issue = 0;
};

struct RecvChannel {
  transport::Peer peer = 0;
  u32 name = 0;
  u32 remote_name = 0;
  u8 frame = 0;
  u8 lane = unbound;
  bool credit_due = false;
  std::byte* slots = nullptr;
  u32 slot_bytes = 0;
  u32 depth = 0;
  u64 issued = 0, turn = 0;                     // messages
  u64 arrived = 0, consumed = 0, credited = 0;  // items
  std::vector<Item> items;                      // a ring of `depth`

  // Where the reader stands in the front item.
  u64 offset = 0;     // bytes of it read, or of the current run of a loan
  u64 loan_read = 0;  // bytes of a loan read in all
  u32 loan_run = 0;

  bool has_item() const { return consumed != arrived; }
  const Item& front() const { return items[consumed % depth]; }
  // Contiguous unread bytes of the front item. Of a loan: inside its gate, as is advance().
  std::span<const std::byte> readable() const {
    const Item& item = front();
    if (item.data) return {item.data + offset, item.bytes - offset};
    return {item.loan->at(loan_run) + offset, item.loan->runs[loan_run].bytes - offset};
  }
  // Reads on; true when the front item has been read to its end.
  bool advance(u64 bytes) {
    const Item& item = front();
    offset += bytes;
    if (item.data) return offset == item.bytes;
    loan_read += bytes;
    if (offset == item.loan->runs[loan_run].bytes) ++loan_run, offset = 0;
    return loan_read == item.bytes;
  }
};

}  // namespace weft::channel
