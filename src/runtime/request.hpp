// One outstanding call of a communicator: what a weft_request_t points to; and a call that is
// planned once and started many times, a weft_operation_t.
//
// Requests live in a pool of their communicator, so starting a call allocates nothing. Threads: as
// Operation.
#pragma once
#include "runtime/call.hpp"
#include "runtime/operators.hpp"
#include "runtime/planner.hpp"

namespace weft::runtime {

class Communicator;
struct Persistent;

// The library's own calls do not count among those a user may leave unwaited.
enum class Of : u8 { user, library };

struct Request {
  Communicator* owner = nullptr;
  Call call;
  Recipe recipe;
  UserReduction user;  // what the recipe's context may be
  executor::Operation operation;
  Planner::Entry* planned = nullptr;   // what it runs; counted as a user of it
  Persistent* persistent = nullptr;    // that it is a start of
  weft_callback_t callback = nullptr;  // called with the argument when it ends
  void* callback_argument = nullptr;
  bool only_plans = false;  // ends once there is a plan
  bool ready = false;       // the operation is complete: it has only to be started
  bool taken = false;
  Of of = Of::user;

  void follow(const Recipe& with, const UserReduction& by) {
    recipe = with;
    user = by;
    if (recipe.reduce.context) recipe.reduce.context = &user;
  }
};

// Holds its plan, as a user of it, from when it is made until it is freed.
struct Persistent {
  Communicator* owner = nullptr;
  Call call;
  Recipe recipe;  // as when it was planned, whatever becomes of the operator
  UserReduction user;
  Planner::Entry* planned = nullptr;
  Request* running = nullptr;  // of its last start
};

}  // namespace weft::runtime
