// Memory that peers of the node can map: pages of a memfd, or of a file that the caller shares.
//
// The library remembers what it gave, by address, so that a pointer alone frees it, and a
// communicator can ask which file a buffer is part of. Threads: any; the lock is taken on the data
// path only after something was allocated or freed.
#pragma once
#include <vector>

#include "base/handle.hpp"

namespace weft::runtime {

Result<void*> allocate_shared(u64 bytes);
Result<void*> adopt_shared(int fd, u64 offset, u64 length);
Status free_shared(void* memory);

// A piece of a file that is mapped here.
struct SharedPiece {
  u64 name = 0;  // of its own, never used again
  const std::byte* memory = nullptr;
  u64 bytes = 0;
  u64 offset = 0;  // in the file
  int file = -1;   // open as long as the piece is there
  u64 file_bytes = 0;
};

// Grows whenever the set of pieces changes.
u64 shared_version();
std::vector<SharedPiece> shared_pieces();  // in the order of their addresses

}  // namespace weft::runtime
