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
  bool taken = false;
};

}  // namespace weft::runtime
