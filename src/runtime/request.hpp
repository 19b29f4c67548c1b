// One outstanding call of a communicator: what a weft_request_t points to.
//
// Requests live in a pool of their communicator, so starting a call allocates nothing. Threads: as
// Operation.
#pragma once
#include "runtime/call.hpp"

namespace weft::runtime {

class Communicator;

struct Request {
  Communicator* owner = nullptr;
  Call call;
  executor::Operation operation;
  std::atomic<u32>* plan_users = nullptr;  // of the plan it runs; nullptr: none yet
  bool taken = false;
};

}  // namespace weft::runtime
