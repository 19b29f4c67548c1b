// Calling another rank's door: all of its addresses, by trying, until one proves to be it.
//
// Addresses are tried one after another: the next when one fails, or has not connected or not
// spoken for a while. The slow ones stay in the race, so one that is firewalled or leads to another
// program delays little; but only one at a time is greeted. The first whose answer carries the
// right mac wins. Reasons are kept for the error. Threads: pure function.
#pragma once
#include <vector>

#include "base/clock.hpp"
#include "base/handle.hpp"
#include "bootstrap/counters.hpp"
#include "bootstrap/handshake.hpp"

namespace weft::bootstrap {

struct Call {
  std::vector<Address> addresses;
  std::string whom;             // for errors: "the root of the job", "rank 3"
  bool may_come_later = false;  // nobody listening yet is no error before the deadline
};

struct Answered {
  Fd socket;  // connected, non-blocking; nothing beyond the answer has been read
  Address at;
  Answer answer;
};

// An answer that says no is an answer: see its error.
Result<Answered> call(const Call& call, const Secret& secret, const Hello& hello, Deadline deadline,
                      Counters& counters);

}  // namespace weft::bootstrap
