// Receive slots, carved from large regions: one region a transport serves many channels.
//
// Slots are never given back before the communicator ends; pages cost nothing until they are
// written. Threads: those of the Fabric.
#pragma once
#include <vector>

#include "transport/transport.hpp"

namespace weft::channel {

class SlotPool {
 public:
  struct Slots {
    transport::RemoteAddress address;  // as a peer names it
    std::byte* memory = nullptr;
  };
  explicit SlotPool(transport::Transport& transport) : transport_(transport) {}
  Result<Slots> take(std::size_t bytes);

 private:
  transport::Transport& transport_;
  transport::Region region_;
  std::size_t used_ = 0;
};

}  // namespace weft::channel
