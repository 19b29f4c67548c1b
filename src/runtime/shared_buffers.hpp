// Which buffers of calls lie in memory that peers of the node can map, and under which key of the
// transport.
//
// A file is shared with peers when a buffer of it is first used, and withdrawn once it was freed.
// While nothing is allocated or freed a look-up takes no lock and allocates nothing. Lifetime: that
// of the transport at most. Threads: the one that drives the communicator.
#pragma once
#include <vector>

#include "executor/operation.hpp"
#include "runtime/memory.hpp"
#include "transport/transport.hpp"

namespace weft::runtime {

class SharedBuffers {
 public:
  // null: no peer can map anything.
  explicit SharedBuffers(transport::Transport* transport) : transport_(transport) {}

  // Where [buffer, buffer + bytes) lies, or nowhere. The offset is that of `origin`, which may be
  // outside.
  executor::Shared find(const void* buffer, u64 bytes, const std::byte* origin);

 private:
  struct Known {
    SharedPiece piece;
    transport::RegionKey region = 0;  // 0: not shared yet
    bool refused = false;             // it cannot be
  };
  void refresh();

  transport::Transport* transport_;
  u64 version_ = 0;
  std::vector<Known> known_;  // in the order of addresses
};

}  // namespace weft::runtime
