// One row's contest: the same call on the same buffers by several contenders in turns.
//
// A point is a run of about two milliseconds, short against the time for which the cores stay where
// they are, and its number of calls is found beforehand, the same on all ranks. Contender 0 is what
// the table's row is of. Who cannot run the row's call sits it out. Lifetime: borrows everything.
// Threads: each thread of all processes has its own and they go in step.
#pragma once
#include <string>

#include "perf/distance.hpp"
#include "perf/rank_set.hpp"
#include "perf/team.hpp"
#include "perf/turns.hpp"
#include "perf/verdict.hpp"

namespace weft::perf {

struct Contender {
  Entrant entrant;
  Runner runner;
  bool grouped = false;               // its calls come in groups
  const ElementType* type = nullptr;  // the same bytes in this type; null: the row's
  std::size_t shift = 0;              // bytes by which its buffers start later
};

// Who is measured. With more than one contender each row is a contest as well.
struct Field {
  std::vector<Contender> contenders;  // of this thread; the first is what the table is of
  Distance* distance = nullptr;       // not null for a contest
};

// Why `contender` cannot run this; "" if it can.
std::string refusal(const Contender& contender, const Collective& collective, const Case& test);

class Contest {
 public:
  Contest(const Options& options, const Collective& collective, RankSet& ranks, Team& team,
          int thread, const Field& field)
      : options_(options),
        collective_(collective),
        ranks_(ranks),
        team_(team),
        thread_(thread),
        field_(field) {}

  // Out of place. Leaves contender 0 in use. Seeds of its inputs count from `seed` on.
  Result<Verdict> run(const Case& test, std::uint64_t seed);
  int errors() const { return errors_; }  // entrants of that run whose results were wrong

 private:
  struct Part {  // of a contender that takes part
    const Contender* contender;
    int calls = 0;  // of a point
  };
  Status pick(const Case& test, Verdict& verdict);
  Status use(const Contender& contender, const Case& test);
  Case case_of(const Contender& contender, const Case& test) const;
  Status call(const Contender& contender, const Case& test, std::size_t iteration);
  int operations(const Contender& contender) const;
  Result<double> seconds(const Case& test, const Contender& contender, int calls, Combine how);
  Result<int> calls_of_a_point(const Case& test, const Contender& contender);
  Result<Points> turns(const Case& test);
  Status check(const Case& test, std::uint64_t seed, Verdict& verdict);

  const Options& options_;
  const Collective& collective_;
  RankSet& ranks_;
  Team& team_;
  const int thread_;
  const Field& field_;
  std::vector<Part> parts_;
  int errors_ = 0;
};

}  // namespace weft::perf
