// Who takes part in a run: Weft's communicators, and what is run in its place or against it.
//
// Lifetime: borrows the session and Processes; sessions of single schedules end with it, all ranks
// together. Threads: made and ended by one; contenders() by any.
#pragma once
#include <deque>
#include <optional>

#include "perf/candidates.hpp"
#include "perf/contest.hpp"
#include "perf/session.hpp"
#include "perf/verdict.hpp"

namespace weft::perf {

class Stage {
 public:
  // Opens the peer, or makes a communicator for each schedule, as the options ask. Collective.
  static Result<Stage> create(const Processes& processes, const Collective& collective,
                              const Options& options, const Session& session);

  // The first is what the table is of.
  std::vector<Contender> contenders(int thread) const;
  // The same as they are reported; entrant 0's name is filled in a row at a time.
  const std::vector<Entrant>& entrants() const { return entrants_; }
  Distance* distance() { return distance_ ? &*distance_ : nullptr; }

  // The peer of --backend or --compare, or null.
  const Peer* peer() const { return peer_; }
  std::string description() const;  // name and library of the peer, "" without one

  void finish();  // after a run that went well

 private:
  Status open(const Options& options);
  Status make_candidates(const Processes& processes, const Collective& collective,
                         const Options& options);

  const Session* session_ = nullptr;
  const Peer* peer_ = nullptr;
  bool replaces_ = false;  // the peer runs the table
  std::deque<Session> sessions_;
  std::vector<Entrant> entrants_;
  std::optional<Distance> distance_;
};

}  // namespace weft::perf
