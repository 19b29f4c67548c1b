// A peer's module, found beside the tool and started.
//
// Lifetime: the module is never unloaded: libraries such as MPI leave threads and exit handlers
// behind. finish() is due on all processes of a run that went well; after a failure others may be
// gone, and ending MPI would wait for them. Threads: the main one.
#pragma once
#include <string>

#include "perf/outcome.hpp"
#include "perf/peer.hpp"

namespace weft::perf {

// Opens libweft_perf_NAME.so in the folder of this program, or else where the linker looks. The
// failure says what to install.
Result<const Peer*> open_peer(const std::string& name);

// The failure of a peer's function that returned false.
tl::unexpected<Failure> failure_of(const Peer& peer, const char* what);

}  // namespace weft::perf
