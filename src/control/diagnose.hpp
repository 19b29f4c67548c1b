// What keeps a call from ending, told from the ledgers of all ranks.
//
// Threads: pure function.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "control/message.hpp"

namespace weft::control {

struct Diagnosis {
  enum Kind : u8 {
    nothing,        // no rank stands out
    mismatch,       // ranks called different things
    never_arrived,  // a rank has not made the call
    silent,         // a process does not answer
    gone,           // a rank has destroyed the communicator
    not_driven,     // a rank has begun the call, and nobody polls
    slow,           // the call still makes headway
    path_silent,    // all are there and wait, and nothing moves
  } kind = nothing;
  Code code = Code::timed_out;
  std::string text;
};

// `describe`: a process in words. Entries may be in any order.
Diagnosis diagnose(const Survey& survey, const std::function<std::string(Process)>& describe);

}  // namespace weft::control
