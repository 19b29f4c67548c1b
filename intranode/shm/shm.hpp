// The transport between the ranks of one node: processes, or threads, that share memory.
//
// A put is a copy straight into the peer's region, and its notice a record in a ring of the peer's
// inbox: no kernel on the way. Memory has no names: segments are memfds, passed over a Unix socket
// that each pair of ranks keeps. The socket introduces the two to each other, wakes a sleeper, and
// ends when its process does, so that a peer's death is seen at once and nothing is left behind,
// however a process ends.
// Lifetime: an endpoint may be destroyed at any time; its peers get what it had sent, then see it
// broken. Threads: each endpoint one thread at a time.
#pragma once
#include <memory>
#include <string>

#include "base/handle.hpp"
#include "base/secret.hpp"
#include "transport/transport.hpp"

namespace weft::shm {

// Hears peers' calls from when it is opened. Its address may be told before the job's secret is
// known, to everybody: who calls must prove to the endpoint that he knows the secret.
struct Listener {
  static Result<Listener> open();
  std::string address() const;

  std::string name;
  Fd socket;
};

Result<std::unique_ptr<transport::Transport>> create(const Secret& job, u32 rank, u32 ranks,
                                                     Listener listener);
// With a listener of its own.
Result<std::unique_ptr<transport::Transport>> create(const Secret& job, u32 rank, u32 ranks);

}  // namespace weft::shm
