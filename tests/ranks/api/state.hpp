// What a communicator says of itself. Threads: any.
#pragma once
#include <gtest/gtest.h>

#include <thread>

#include "weft/weft.h"

namespace weft::testing {

// weft_ok, weft_in_progress, or the first error.
inline weft_result_t state_of(weft_comm_t comm) {
  weft_result_t state = weft_in_progress;
  EXPECT_EQ(weft_comm_get_async_error(comm, &state), weft_ok);
  return state;
}

// The same, once it is something else than in progress.
inline weft_result_t settled(weft_comm_t comm) {
  weft_result_t state = weft_in_progress;
  while ((state = state_of(comm)) == weft_in_progress) std::this_thread::yield();
  return state;
}

}  // namespace weft::testing
