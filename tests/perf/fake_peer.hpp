// What a test asks of the fake peer, whose module the tool under test opens by its name, "fake".
//
// The module looks these up in nothing: the test reaches into the module by dlsym once it is
// loaded. Threads: one.
#pragma once

namespace weft::fake {

struct PeerState {
  bool refuses_to_start = false;
  bool fails = false;     // every call
  bool is_wrong = false;  // flips a bit of every result
  long started = 0, calls = 0, finished = 0;
};

constexpr const char* peer_state_symbol = "weft_fake_peer_state";  // PeerState* without arguments

}  // namespace weft::fake
