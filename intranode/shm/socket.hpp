// The few socket calls this room needs: sequenced packets between processes of one user, at names
// in the abstract namespace, which vanish with their owner.
//
// Nothing blocks. Threads: functions without state.
#pragma once
#include <span>
#include <string>

#include "base/handle.hpp"

namespace weft::shm {

Result<Fd> listen_at(const std::string& name);
Result<Fd> connect_to(const std::string& name);
Fd accept_from(int listener);  // none: nobody is waiting, or this process has no descriptor left

// Whether the process at the other end runs as our user; its pid, for error texts.
bool is_same_user(int socket);
int process_of(int socket);

enum class Sent { whole, full, closed };
Sent send_packet(int socket, std::span<const std::byte> packet, int file = -1);

struct Received {
  enum Kind { nothing, packet, closed } kind = nothing;
  std::size_t bytes = 0;  // of the packet, which may be larger than the buffer
  Fd file;                // that came with it
};
Received receive_packet(int socket, std::span<std::byte> buffer);

}  // namespace weft::shm
