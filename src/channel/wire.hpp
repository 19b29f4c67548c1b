// What travels in notices: plain structs, one tag each, the same on every transport.
//
// All ranks of a job run the same build on the same byte order (the manifest is compared when a
// communicator is made), so the structs are sent as they are. Threads: values.
#pragma once
#include <cstring>
#include <optional>
#include <type_traits>

#include "transport/transport.hpp"

namespace weft::channel {

enum class Tag : u8 {
  grant = 1,  // receiver -> sender: here are the slots of a channel, in all its frames
  data,       // sender -> receiver: a slot has been filled
  offer,      // sender -> receiver: read my memory in place, then release it by a credit
  placed,     // sender -> receiver: the message is where you said, with a loan, that it may be put
  credit,     // receiver -> sender: items consumed so far
  explain,    // either way: the signature of a call the other end disagrees with
  abort,      // an error has poisoned the communicator; the text follows
  bye,        // nothing more will come from here: the communicator is being destroyed
};

// Which call a message belongs to: how a mismatch is seen at its first message.
struct CallMark {
  u32 call = 0;       // low bits of the number of the call on its communicator
  u32 signature = 0;  // hash of what was called
  bool operator==(const CallMark&) const = default;
};

struct Grant {
  Tag tag = Tag::grant;
  u8 port = 0;
  u16 frames = 0;
  u32 first_channel = 0;  // the receiver's names of the channel in frame 0, 1, ... are consecutive
  u32 key = 0;
  u32 slot_bytes = 0;
  u64 offset = 0;       // slot i of frame f is at offset + (f * depth + i) * slot_bytes
  u32 depth = 0;        // items that may be unconsumed at once
  u32 takes_loans = 1;  // 0: what goes here is to be put, not lent
};

inline constexpr u32 no_channel = ~u32{0};

struct Data {
  Tag tag = Tag::data;
  u8 inlined = 0;    // the bytes follow in this very notice
  u16 sequence = 0;  // low bits of the item's number on the channel
  u32 channel = 0;   // the receiver's name of the channel
  u32 sender = 0;    // the sender's name of it, for credits
  CallMark call;
  u32 bytes = 0;
  u32 issue = 0;  // issue number of the send step, when executions are recorded
  // A credit on the way: ranks that exchange messages need no notices for it.
  u32 credit_channel = no_channel;  // the receiver's name of the channel that it may send on
  u32 consumed = 0;                 // low bits of the items consumed so far
};

struct Offer {
  Data data;
  u32 region = 0;  // the sender's region that the receiver maps; 0: same process
  u64 base = 0;    // where the message's runs start: offset in the region, or address
  // The sender's LoanGate: an address, or offset in its region `gate_region`; 0 and 0: none.
  u64 gate = 0;
  u64 bytes = 0;
  u8 layout = 0;      // Layout in channel.hpp
  u8 answerable = 0;  // the rest says where the answer may be put, see Answer in channel.hpp
  u16 unused = 0;
  u32 gate_region = 0;
  u32 answer_region = 0;  // 0: same process
  u32 answer_number = 0;
  u64 answer_base = 0;
};

struct Credit {
  Tag tag = Tag::credit;
  u8 unused[3] = {};
  u32 channel = 0;   // the sender's name
  u64 consumed = 0;  // absolute, so that losing or repeating one does no harm
};

inline constexpr std::size_t signature_bytes = 48;
struct Explain {
  Tag tag = Tag::explain;
  u8 unused[3] = {};
  u32 call = 0;
  std::byte signature[signature_bytes] = {};  // opaque to channel and executor
};

struct Abort {
  Tag tag = Tag::abort;
  u8 code = 0;
  u16 bytes = 0;   // of the text
  u32 origin = 0;  // the rank that saw the error first
  char text[transport::max_notice_bytes - 8] = {};
};

struct Bye {
  Tag tag = Tag::bye;
};

inline constexpr std::size_t max_inline_bytes = transport::max_notice_bytes - sizeof(Data);

template <class T>
transport::Notice as_notice(const T& value, std::size_t bytes = sizeof(T)) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= transport::max_notice_bytes);
  return {reinterpret_cast<const std::byte*>(&value), bytes};
}

// What a notice says of the message that it announces, for who looks on.
struct Announced {
  u32 call = 0;             // as in CallMark
  u64 bytes = 0;            // of data: in a put, in the notice, or lent
  std::size_t inlined = 0;  // where in the notice the data begins; 0: it is not there
};

// False: too short to be a T.
template <class T>
bool read_notice(transport::Notice notice, T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (notice.size() < sizeof(T)) return false;
  std::memcpy(static_cast<void*>(&value), notice.data(), sizeof(T));
  return true;
}

// Nothing: the notice announces no message.
inline std::optional<Announced> look(transport::Notice notice) {
  Data data;
  if (!read_notice(notice, data)) return std::nullopt;
  Announced said{.call = data.call.call, .bytes = data.bytes};
  if (data.tag == Tag::offer) {
    Offer offer;
    if (!read_notice(notice, offer)) return std::nullopt;
    said.bytes = offer.bytes;
  } else if (data.tag != Tag::data && data.tag != Tag::placed) {
    return std::nullopt;
  }
  if (data.inlined) said.inlined = sizeof(Data);
  return said;
}

}  // namespace weft::channel
