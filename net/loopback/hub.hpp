// How endpoints of one process find each other, and what two of them share.
//
// A Party is the part of an endpoint that its peers reach into: regions, bell. A Link is the part
// that belongs to a pair: rings both ways and the state of each side. Both are held by shared
// pointers from either end, so that neither end's death pulls memory from under the other. The Hub
// is the one thing of the process; its lock is taken when connecting and when an endpoint dies.
// Threads: any; each member says who writes it.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/handle.hpp"
#include "base/secret.hpp"
#include "base/spsc_ring.hpp"
#include "transport/region_table.hpp"

namespace weft::loopback {

enum class State : u32 {
  away,      // has not called connect yet
  joined,    // here
  ended,     // the endpoint was destroyed
  violated,  // this side put outside of the other's regions
  cut,       // the weather broke the link
};
inline bool closed(State state) { return state > State::joined; }

// One end of a link, written by that end (`starved` is cleared by the other).
struct alignas(cache_line_bytes) Side {
  std::atomic<State> state = State::away;
  // Copying into the other's memory right now. Whoever takes memory away sets his flag first
  // (state, or the region's key) and then waits for this one; the writer raises this one first and
  // then looks.
  std::atomic<bool> writing = false;
  std::atomic<bool> starved = false;  // sleeps, or is about to, until there is room
  std::vector<Mapping> rings;         // by rail: what this side sends. Not changed once made
};

struct Link {
  static Result<std::shared_ptr<Link>> make(transport::Rail rails, std::size_t ring_capacity);
  std::array<Side, 2> sides;  // the lower rank's, the higher rank's
};

struct Party;
struct Meeting {
  std::shared_ptr<Link> link;
  std::shared_ptr<Party> peer;
};

struct Party {
  Party(const Secret& of_job, u32 own_rank, u32 all_ranks)
      : job(of_job), rank(own_rank), ranks(all_ranks) {}
  // Wakes the owner if it sleeps. Called after the news is published.
  void ring_bell();
  std::string address() const;

  const Secret job;
  const u32 rank, ranks;
  u64 id = 0;  // in this process, never used twice
  Fd bell;     // an eventfd
  std::atomic<bool> armed = false;
  std::atomic<u64> strangers = 0;
  transport::RegionTable regions;
  std::map<u64, Meeting> offers;  // by the id of who waits for us; guarded by the hub's lock
};

class Hub {
 public:
  static Hub& of_process();
  Result<std::shared_ptr<Party>> enter(const Secret& job, u32 rank, u32 ranks);
  // Takes the party off the list and its offers away: whoever waits for it sees it ended.
  void leave(Party& party);
  // The link to the endpoint at `address`, made now or waiting there already.
  Result<Meeting> meet(const std::shared_ptr<Party>& self, u32 peer_rank,
                       const std::string& address, transport::Rail rails,
                       std::size_t ring_capacity);

 private:
  std::mutex lock_;
  u64 next_id_ = 1;
  std::map<u64, std::weak_ptr<Party>> parties_;
};

}  // namespace weft::loopback
