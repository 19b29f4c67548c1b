// What a rank's part in the rendezvous costs, and whom it turned away.
//
// The promise is c * log2(ranks) connections opened and kept by any rank; tests hold it to these
// numbers. Threads: those of the Bootstrap that owns them.
#pragma once
#include "base/types.hpp"

namespace weft::bootstrap {

struct Counters {
  u32 opened = 0;        // connections this rank established
  u32 accepted = 0;      // connections others established to it, strangers included
  u32 links_peak = 0;    // most tree connections held at once
  u32 waiting_peak = 0;  // most accepted connections held at once that had proved nothing yet
  u32 strangers = 0;     // turned away: wrong secret, garbage, silence
};

}  // namespace weft::bootstrap
