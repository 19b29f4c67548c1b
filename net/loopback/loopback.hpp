// The transport between ranks that are threads (or just objects) of one process.
//
// A put copies straight into the peer's memory and leaves its notice in a lock-free ring. Endpoints
// of a job find each other by address(); who has another secret is refused. With Weather the same
// transport is a test instrument: it delays, reorders between lanes, answers busy and completes
// late, all from a seed.
// Lifetime: an endpoint may be destroyed at any time; its peers then see it broken. Threads: each
// endpoint is polled by one thread at a time; one thread may poll many.
#pragma once
#include <memory>
#include <optional>

#include "base/secret.hpp"
#include "transport/transport.hpp"

namespace weft::loopback {

// What the weather does to one endpoint. Its time is the number of polls, and its dice come from
// `seed` and the rank alone: endpoints that one thread polls in a fixed order repeat themselves.
struct Weather {
  u64 seed = 1;
  u32 busy_percent = 10;  // of posts are answered busy although there is room
  u32 late_percent = 60;  // of posts are kept back and copied in a later poll, in order per lane
  u32 hold_percent = 50;  // chance, each poll, that a lane with something kept back stays still
  struct Cut {
    transport::Peer peer;
    u64 after_posts;  // of this endpoint, to anyone
  };
  std::optional<Cut> cut;  // the link that breaks, as if its cable were cut
};

struct Options {
  transport::Rail rails = 1;
  std::size_t ring_bytes = 16 << 10;  // of each direction and rail; a power of two, at least 2 KiB
  std::optional<Weather> weather;
};

Result<std::unique_ptr<transport::Transport>> create(const Secret& job, u32 rank, u32 ranks,
                                                     const Options& options = {});

}  // namespace weft::loopback
