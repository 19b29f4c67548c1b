// One trial, drawn from a seed: a job, what goes wrong in it, and where.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace weft::trials {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

enum class What {
  kill,     // the process dies
  freeze,   // the process stops and stays so
  thaw,     // it stops for a moment
  leave,    // the process ends by itself in the middle, without a word
  absent,   // a rank never comes
  late,     // a rank comes late, but in time
  cut,      // a link ends
  silence,  // a rank's links swallow everything
  drop,     // one message vanishes
  corrupt,  // one bit of a message changes
  delay,    // messages are late
};
inline constexpr What all_faults[] = {What::kill,   What::freeze,  What::thaw, What::leave,
                                      What::absent, What::late,    What::cut,  What::silence,
                                      What::drop,   What::corrupt, What::delay};
const char* name_of(What what);

enum class When { bootstrap, call, destroy };
const char* name_of(When when);

enum class Call { all_reduce, reduce_scatter, all_gather, broadcast, barrier };
inline constexpr u32 kinds_of_call = 5;
const char* name_of(Call call);

// What the calls are made on: the communicator of the job, or one made from it by all ranks.
enum class Of { job, dup, split };
const char* name_of(Of of);

struct Plan {
  u64 seed = 0;
  bool processes = false;  // or threads of one
  u32 ranks = 2;
  std::string transport;           // WEFT_TRANSPORT
  std::vector<std::string> nodes;  // of each rank
  Of of = Of::job;
  bool shrinks = false;  // who is left goes on without who is lost
  Call call = Call::all_reduce;
  u32 count = 1;  // elements a rank
  u32 calls = 1;  // that all ranks make, then a barrier
  What what = What::kill;
  When when = When::call;
  u32 culprit = 0;
  u32 struck = 0;        // the call it happens in
  u32 microseconds = 0;  // bootstrap, destroy: how long after its begin
  std::string rule;      // WEFT_FAULT, where that does it

  std::string text() const;
  // All ranks have to end without an error.
  bool is_harmless() const {
    return what == What::late || what == What::delay || what == What::thaw;
  }
  // It is a link that fails: either of its ends may be named.
  bool is_of_a_link() const {
    return what == What::cut || what == What::drop || what == What::silence;
  }
};

// Seconds: what a call may take, and a rank that does not come is waited for.
inline constexpr double timeout = 4;

// `only`: the faults it may be of; empty: all that there are with processes, or with threads.
Plan draw(u64 seed, bool processes, const std::vector<What>& only);

}  // namespace weft::trials
