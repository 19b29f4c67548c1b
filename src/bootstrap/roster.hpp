// The root's list of who has come: deals out positions in the tree and finds mistakes.
//
// Position k goes to the k-th rank that arrives, so the address of a rank's parent is known the
// moment the rank asks, and the root never keeps anybody waiting on an open connection. Memory is
// O(ranks), on the root only. Threads: one at a time.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "bootstrap/handshake.hpp"

namespace weft::bootstrap {

class Roster {
 public:
  // The root itself is the first entry, at position 0.
  Roster(u32 ranks, const Hello& root);

  // What to answer, short of the session. An error in it ends the job: two ranks with one number,
  // different counts, a rank out of range. Asking twice from one process is no mistake.
  Answer admit(const Hello& hello, const Address& from);

  bool full() const { return entries_.size() == ranks_; }
  u32 rank_at(u32 position) const { return entries_[position].rank; }

  // Who was heard in a collective call, by rank.
  struct Heard {
    std::vector<bool> contributed;
    std::vector<bool> present;  // has answered the roll call, or contributed since
    bool of(u32 rank) const { return contributed[rank] && present[rank]; }
  };
  // Came and is not heard, and no wonder: nor is its parent, through which it would be.
  bool is_unheard(u32 rank, const Heard& heard) const;
  // Who keeps the others waiting, in words: "ranks 3, 5-7 have not joined after 30 s".
  // `what` names the collective: "joined", "called exchange 3".
  std::string missing(const Heard& heard, const std::string& what, Duration waited) const;

 private:
  struct Entry {
    u32 rank;
    Nonce instance;
    Contact contact;
    std::string from;
  };
  static constexpr u32 absent = ~0u;

  Answer place_of(u32 position) const;
  bool has_silent_descendant(u32 rank, const Heard& heard) const;

  u32 ranks_;
  std::vector<Entry> entries_;    // by position
  std::vector<u32> position_of_;  // by rank
};

}  // namespace weft::bootstrap
