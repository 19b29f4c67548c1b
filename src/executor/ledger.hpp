// Which calls were made here, and what peers' messages say was called there.
//
// Every message carries the number and the signature's hash of its call. A peer's call may be seen
// before the own one is made, or after; either way the first difference is noticed. Threads: those
// of the engine.
#pragma once
#include <array>
#include <optional>

#include "executor/operation.hpp"

namespace weft::executor {

class CallLedger {
 public:
  // The peer whose earlier message disagrees, if any.
  std::optional<transport::Peer> made(u64 call, const Signature& signature) {
    Entry& entry = entry_of(u32(call));
    const bool disagrees = entry.seen && entry.seen_hash != signature.hash;
    entry.made = true;
    entry.signature = signature;
    return disagrees ? std::optional(entry.seen_from) : std::nullopt;
  }
  // True: what the peer called is not what was called here.
  bool disagrees(transport::Peer from, channel::CallMark mark) {
    Entry& entry = entry_of(mark.call);
    if (entry.made) return entry.signature.hash != mark.signature;
    if (!entry.seen) {
      entry.seen = true;
      entry.seen_hash = mark.signature;
      entry.seen_from = from;
    }
    return entry.seen_hash != mark.signature;
  }
  const Signature* signature_of(u32 call) {
    Entry& entry = entry_of(call);
    return entry.made ? &entry.signature : nullptr;
  }

 private:
  struct Entry {
    u32 call = 0;
    bool made = false, seen = false;
    u32 seen_hash = 0;
    transport::Peer seen_from = 0;
    Signature signature;
  };
  // Ranks are never further apart than the operations and items in flight, far below this.
  Entry& entry_of(u32 call) {
    Entry& entry = entries_[call % entries_.size()];
    if (entry.call != call) entry = {.call = call};
    return entry;
  }
  std::array<Entry, 1024> entries_{};
};

}  // namespace weft::executor
