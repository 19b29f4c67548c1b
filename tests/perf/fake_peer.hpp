// What a test asks of the fake peer, whose module the tool under test opens by its name, "fake".
//
// The module looks these up in nothing: the test reaches into the module by dlsym once it is
// loaded. Threads: one.
#pragma once
#include <cstdint>

#include "perf/peer.hpp"

namespace weft::fake {

struct PeerState {
  bool refuses_to_start = false;
  bool fails = false;                 // every call
  bool is_wrong = false;              // flips a bit of every result
  std::size_t large_from = SIZE_MAX;  // bytes from which the form "large" is worth a turn
  long started = 0, calls = 0, finished = 0;
  long calls_of_form[3] = {0, 0, 0};  // slow, plain, large
  perf::PeerBuffers buffers = {};
};

constexpr const char* peer_state_symbol = "weft_fake_peer_state";  // PeerState* without arguments

}  // namespace weft::fake
