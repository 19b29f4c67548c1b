// The two ends of a channel in one frame, and what lies between them: items and credits.
//
// A channel (sender, receiver, port) carries messages in order; a message is one or more items, an
// item is a filled slot of the receiver or a loan of the sender's memory. `depth` items may be
// unconsumed; the receiver grants that right once and renews it with credits, as absolute counters.
// Lifetime: owned by the Fabric, stable addresses. Threads: those of the Fabric.
#pragma once
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "channel/loan_gate.hpp"
#include "channel/wire.hpp"

namespace weft::channel {

// How a buffer is laid out: what the offsets of runs in it are.
enum class Layout : u8 {
  input,    // as the caller's input
  output,   // as the caller's output
  plane,    // as a scratch plane
  message,  // the bytes of the message, one after the other
};

// A stretch of a message: the same atoms at one offset in the caller's input, one in the output and
// one in a scratch plane.
struct Run {
  u64 at[3] = {0, 0, 0};  // by Layout
  u64 bytes = 0;

  u64 in(Layout layout) const { return at[u8(layout)]; }
};

// Where a rank lets the answer to a loan be put: the message that brings back, for the same atoms,
// what the reader made of them. It comes from the reader, on one of the ports between the two, and
// both ends know which it is, since they count alike; its runs are laid out as in the whole vector.
struct Answer {
  bool wanted = false;
  transport::RegionKey region = 0;  // of the lender, which the reader maps; 0: `base` is an address
  u64 base = 0;                     // offset in the region, modulo 2^64, or address
  u32 number = 0;                   // of the answer among the messages of its channel and slice
};

// A message to be read in place in the sender's memory. Both ends of a message know its runs, since
// they name the same atoms; only where they start is said. Where ranks lay out their buffers each
// in a way of its own (all-to-all, uneven forms), each stretch of it is lent alone, as a message's
// bytes are put into slots.
struct Loan {
  transport::RegionKey region =
      0;         // that the reader maps; 0: `base` is an address, of this process
  u64 base = 0;  // offset in the region, modulo 2^64, or address
  Layout layout = Layout::input;
  u64 bytes = 0;
  Answer answer;
};

// Where a receive that is under way wants what comes next on its channel, so that a transport that
// reads puts by calls of its own need not bring them to a slot first. Whether an item goes there is
// decided when its first bytes come, and holds for the rest of it.
class Destination {
 public:
  void offer(std::byte* at, u64 bytes) { at_ = at, bytes_ = bytes; }
  void withdraw() { at_ = nullptr, bytes_ = 0; }
  // Where the item that is coming goes; null: to its slot.
  std::byte* place(u64 bytes) {
    if (item_ == Item::unseen) item_ = bytes <= bytes_ ? Item::direct : Item::in_slot;
    return item_ == Item::direct ? at_ : nullptr;
  }
  // The item has come: where it is; null: in its slot, and what follows it has another place.
  std::byte* arrived(u64 bytes) {
    std::byte* const at = std::exchange(item_, Item::unseen) == Item::direct ? at_ : nullptr;
    at ? offer(at + bytes, bytes_ - bytes) : withdraw();
    return at;
  }

 private:
  enum class Item : u8 { unseen, direct, in_slot };
  std::byte* at_ = nullptr;
  u64 bytes_ = 0;
  Item item_ = Item::unseen;
};

inline constexpr u8 unbound = 0xff;

struct SendChannel {
  transport::Peer peer = 0;
  u32 name = 0;
  u32 remote_name = 0;  // known once granted
  u8 frame = 0;
  u8 lane = unbound;  // the lane whose step waits here
  transport::Rail rail = 0;
  bool lends = false;  // large messages are read in place, in this process
  bool maps = false;   // those in regions of the sender are, by another process
  u32 depth = 0;       // 0: not granted yet
  u32 slot_bytes = 0;
  transport::RemoteAddress slots;
  u64 issued = 0, turn = 0;    // messages: tickets given out, messages fully posted
  u64 sent = 0, credited = 0;  // items

  bool has_credit() const { return sent - credited < depth; }
};

struct Item {
  const std::byte* data = nullptr;  // nullptr: a loan
  // A loan: where its runs start, as the reader sees it, and what may be read there.
  const std::byte* base = nullptr;
  Layout layout = Layout::input;
  std::span<const std::byte> room;  // empty: what the gate guards
  LoanGate* gate = nullptr;
  bool placed = false;  // not a loan: the whole message is where it belongs
  u64 bytes = 0;
  CallMark call;
  u32 issue = 0;
};

// Where an answer may be put, as the reader of the loan sees it.
struct Landing {
  bool open = false;
  std::byte* base = nullptr;  // of its runs
  std::span<std::byte> room;  // empty: what the loan's gate guards
  u32 number = 0;             // of the answer
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
  u32 next_place = 0, front_place = 0;          // arrived and consumed, modulo depth
  std::vector<Item> items;                      // a ring of `depth`
  std::vector<Landing> landings;                // of those of them that are loans
  Destination destination;

  // Where the reader stands in the front item.
  u64 offset = 0;     // bytes of it read, or of the current run of a loan
  u64 loan_read = 0;  // bytes of a loan read in all
  u32 loan_run = 0;

  bool has_item() const { return consumed != arrived; }
  const Item& front() const { return items[front_place]; }
  const Landing& landing() const { return landings[front_place]; }
  // Contiguous unread bytes of the front item, part of a message of these runs. Of a loan: inside
  // its gate.
  std::span<const std::byte> readable(const Run* runs) const {
    const Item& item = front();
    if (item.data) return {item.data + offset, item.bytes - offset};
    if (item.layout == Layout::message) return {item.base + offset, item.bytes - offset};
    const Run& run = runs[loan_run];
    return {item.base + run.in(item.layout) + offset, run.bytes - offset};
  }
  // Reads on; true when the front item has been read to its end.
  bool advance(u64 bytes, const Run* runs) {
    const Item& item = front();
    if (item.placed) return true;
    offset += bytes;
    if (item.data || item.layout == Layout::message) return offset == item.bytes;
    loan_read += bytes;
    if (offset == runs[loan_run].bytes) ++loan_run, offset = 0;
    return loan_read == item.bytes;
  }
  // Is every byte of the front item, a loan from another process, where it said that it lends?
  bool is_in_room(std::span<const Run> runs) const {
    const Item& item = front();
    if (item.layout == Layout::message) return is_inside(item.base, 0, item.bytes, item.room);
    u64 total = 0;
    for (const Run& run : runs) {
      if (!is_inside(item.base, run.in(item.layout), run.bytes, item.room)) return false;
      total += run.bytes;
    }
    return total == item.bytes;
  }
  // And all of its answer where it said that it may be put?
  bool is_answer_in_room(std::span<const Run> runs) const {
    const Landing& to = landing();
    return std::all_of(runs.begin(), runs.end(), [&to](const Run& run) {
      return is_inside(to.base, run.in(Layout::output), run.bytes, to.room);
    });
  }

 private:
  static bool is_inside(const std::byte* base, u64 offset, u64 bytes,
                        std::span<const std::byte> room) {
    const u64 begin = u64(reinterpret_cast<std::uintptr_t>(base)) + offset -
                      u64(reinterpret_cast<std::uintptr_t>(room.data()));
    return begin <= room.size() && bytes <= room.size() - begin;
  }
};

}  // namespace weft::channel
