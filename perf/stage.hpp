// Who takes part in a run: Weft's communicators, and what is run in its place or against it.
//
// Lifetime: borrows the session and Processes; sessions of its own end with it, all ranks together.
// Threads: made and ended by one; contenders() by any.
#pragma once
#include <deque>
#include <optional>

#include "perf/candidates.hpp"
#include "perf/contest.hpp"
#include "perf/session.hpp"

namespace weft::perf {

class Stage {
 public:
  // Opens the peers, and makes the communicators that the options ask for. Collective.
  static Result<Stage> create(const Processes& processes, const Collective& collective,
                              const Options& options, const Session& session);

  // The first is what the table is of.
  std::vector<Contender> contenders(int thread) const;
  Distance* distance() { return distance_ ? &*distance_ : nullptr; }

  const Peer* backend() const { return seats_.front().peer; }  // null: Weft
  const std::vector<std::string>& descriptions() const { return descriptions_; }

  // Shows the peers that ask for it where the buffers of all calls lie. Collective.
  Status see(const PeerBuffers& buffers) const;

  void finish();  // after a run that went well

 private:
  // A contender as all threads know it.
  struct Seat {
    Entrant entrant;
    const Session* session;
    const Peer* peer = nullptr;
    int form = own_choice;
    bool grouped = false;
    const ElementType* type = nullptr;
    std::size_t shift = 0;
  };

  Result<const Peer*> open(const std::string& name);
  Status take_backend(const Options& options);
  Status add_rival(const Processes& processes, const Options& options, const std::string& name);
  Status add_own(const Processes& processes, const Options& options, const std::string& name);
  void add_forms(const Peer& peer, const std::string& name);
  Status add_candidates(const Processes& processes, const Collective& collective,
                        const Options& options);
  Result<const Session*> made(const Processes& processes, const Options& options);

  const Session* session_ = nullptr;
  std::deque<Session> sessions_;  // a deque, since seats point into it
  std::vector<const Peer*> peers_;
  std::vector<std::string> descriptions_;  // name and library of each
  std::vector<Seat> seats_;
  std::optional<Distance> distance_;
};

}  // namespace weft::perf
