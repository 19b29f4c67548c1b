// Which calls were made here, and what peers' messages say was called there.
//
// Every message carries the number and the signature's hash of its call. A peer's call may be seen
// before the own one is made, or after; either way the first difference is noticed. Threads: those
// of the engine.
#pragma once
#include <optional>

#include "base/handle.hpp"
#include "executor/operation.hpp"

namespace weft::executor {

class CallLedger {
 public:
  // A peer whose earlier message disagrees, if any.
  std::optional<transport::Peer> made(u64 call, const Signature& signature) {
    Entry& entry = entry_of(u32(call));
    entry.made = true;
    entry.signature = signature;
    for (u32 i = 0; i < entry.seen; ++i)
      if (entry.seen_hash[i] != signature.hash) return entry.seen_from[i];
    return std::nullopt;
  }
  // True: what the peer called is not what was called here.
  bool disagrees(transport::Peer from, channel::CallMark mark) {
    Entry& entry = entry_of(mark.call);
    if (entry.made) return entry.signature.hash != mark.signature;
    // Two different ones are enough: the own call cannot agree with both.
    const bool news = entry.seen == 0 || (entry.seen == 1 && entry.seen_hash[0] != mark.signature);
    if (news) {
      entry.seen_hash[entry.seen] = mark.signature;
      entry.seen_from[entry.seen++] = from;
    }
    return false;
  }
  const Signature* signature_of(u32 call) {
    Entry& entry = entry_of(call);
    return entry.made ? &entry.signature : nullptr;
  }

 private:
  struct Entry {
    u32 call = 0;
    bool made = false;
    u8 seen = 0;  // different ones, before the own call was made
    u32 seen_hash[2] = {};
    transport::Peer seen_from[2] = {};
    Signature signature;
  };
  // Enough for ranks as far apart as frames and slots usually allow; who is further ahead is told
  // by the items themselves, which carry their call.
  Entry& entry_of(u32 call) {
    Entry& entry = reinterpret_cast<Entry*>(pages_.bytes().data())[call % entries];
    if (entry.call != call) entry = {.call = call};
    return entry;
  }
  static constexpr u32 entries = 1024;
  // Fresh pages are zeros, as a fresh Entry is, and cost nothing before the first calls.
  Mapping pages_ = Mapping::anonymous(entries * sizeof(Entry)).value();
};

}  // namespace weft::executor
