// The transport between processes of any hosts: several TCP sockets a peer, IPv4 or IPv6.
//
// A rank listens on each of its addresses; of two ranks the lower one dials and tries the other's
// addresses until one answers with proof that it knows the job's secret. Rail i of a peer is socket
// i. Puts of few bytes are copied and leave together in one system call; large ones go from the
// source straight to the kernel, and from the peer's kernel straight into its region.
// Lifetime: an endpoint may be destroyed at any time; its peers then see it broken. Threads: one at
// a time.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/secret.hpp"
#include "transport/transport.hpp"

namespace weft::tcp {

struct Identity {
  Secret job;
  u32 rank = 0;
  u32 ranks = 1;
};

struct Options {
  // Names ("eth0") or numeric addresses ("::1"), in order of preference; empty: every interface
  // that is up, the host's own loopback last.
  std::vector<std::string> interfaces;
  u16 first_port = 0, last_port = 0;  // 0: any free port
  transport::Rail sockets = 2;        // to each peer
  // Who has not proved himself so long after he came is dropped.
  Duration hello_timeout = std::chrono::seconds(10);
  // When no address of a peer accepts a connection for so long, the peer is given up.
  Duration connect_timeout = std::chrono::seconds(20);

  static Result<Options> from_environment();  // WEFT_INTERFACE, WEFT_PORT_RANGE, WEFT_TCP_SOCKETS
};

Result<std::unique_ptr<transport::Transport>> create(const Identity& identity,
                                                     const Options& options = {});

}  // namespace weft::tcp
