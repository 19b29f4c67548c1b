// One row's contest: the same call on the same buffers by several contenders in turns.
//
// A point is a run of about two milliseconds, short against the time for which the cores stay where
// they are, and its number of calls is found beforehand, the same on all ranks. Contender 0 is what
// the table's row is of. Lifetime: borrows everything. Threads: each thread of all processes has
// its own and they go in step.
#pragma once
#include <string>

#include "perf/distance.hpp"
#include "perf/rank_set.hpp"
#include "perf/team.hpp"
#include "perf/turns.hpp"

namespace weft::perf {

struct Contender {
  std::string name;
  std::span<const Communicator> communicators;  // of the thread's ranks
  const Peer* peer = nullptr;
};

class Contest {
 public:
  Contest(const Options& options, RankSet& ranks, Team& team, int thread,
          std::span<const Contender> contenders, Distance& distance)
      : options_(options),
        ranks_(ranks),
        team_(team),
        thread_(thread),
        contenders_(contenders),
        distance_(distance) {}

  // Out of place. Leaves contender 0 in use.
  Result<Points> run(const Case& test);

  // Wrong elements over all ranks in one call of each contender, by index; seeds from `seed` on.
  Result<std::vector<std::size_t>> wrong(const Case& test, std::uint64_t seed);

 private:
  Status use(std::size_t contender, const Case& test);
  Result<double> seconds(const Case& test, std::size_t contender, int calls, Combine how);
  Result<int> calls_of_a_point(const Case& test, std::size_t contender);

  const Options& options_;
  RankSet& ranks_;
  Team& team_;
  const int thread_;
  const std::span<const Contender> contenders_;
  Distance& distance_;
};

}  // namespace weft::perf
