// Where a process is reached for control, and the door at which it is.
//
// Ranks of a node meet at an abstract Unix socket, whose name vanishes with the process: a refusal
// is then proof of its death. Others meet over TCP, on the interfaces and ports that the data uses.
// Threads: values and functions without state.
#pragma once
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/handle.hpp"
#include "bootstrap/address.hpp"
#include "bootstrap/listener.hpp"

namespace weft::control {

struct Place {
  std::string name;                           // abstract; empty: not on this node
  std::vector<bootstrap::Address> addresses;  // TCP
  int pid = 0;                                // as it sees itself
  bool is_here = false;                       // pid means the same to this process
  std::string host;
};

// A name that nobody else draws.
std::string draw_name(std::string_view prefix);
Result<Fd> listen_at(const std::string& name);
Fd connect_to(const std::string& name, int& error);  // at once, or not at all: errno
// Begins to connect; errno of what is known already, or 0.
Fd begin_connecting(const bootstrap::Address& to, int& error);
int outcome_of(const Fd& socket);          // of connecting: errno, 0 or EINPROGRESS
Fd accept_from(int listener, int& error);  // errno; EAGAIN: nobody is there
bool is_same_user(int socket);             // of a Unix socket

// The state letter of a process of this host, as ps has it; 0: there is none.
char state_of(int pid);
// Has the kernel at the other end of a TCP connection answered of late?
bool kernel_answers(int socket, Duration within);

}  // namespace weft::control
