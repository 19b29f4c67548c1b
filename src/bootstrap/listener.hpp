// Listening sockets of one rank: all on one port, on the chosen interfaces.
//
// Without WEFT_INTERFACE it is one socket on every address of the host (IPv6 and IPv4); with it, a
// socket on each address of those interfaces and nowhere else. The kernel's queue keeps callers
// until somebody accepts. Lifetime: the sockets close with the object. Threads: one at a time.
#pragma once
#include <vector>

#include "base/handle.hpp"
#include "bootstrap/address.hpp"

namespace weft::bootstrap {

class Listener {
 public:
  // On the first port of the list that is free on all addresses; 0 stands for any free port.
  static Result<Listener> open(const std::vector<u16>& ports);

  const Contact& contact() const { return contact_; }
  const std::vector<Fd>& sockets() const { return sockets_; }

 private:
  Contact contact_;
  std::vector<Fd> sockets_;
};

// The ports of WEFT_PORT_RANGE, in order; {0} if it is not set.
Result<std::vector<u16>> allowed_ports();

// A connected, non-blocking socket with small messages sent at once.
void make_prompt(int socket);

}  // namespace weft::bootstrap
