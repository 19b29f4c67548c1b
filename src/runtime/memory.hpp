// Memory that peers of the node can map: pages of a memfd, or of a file that the caller shares.
//
// The library remembers what it gave, by address, so that a pointer alone frees it. Threads: any; a
// lock, never taken on the data path.
#pragma once
#include "base/handle.hpp"

namespace weft::runtime {

Result<void*> allocate_shared(u64 bytes);
Result<void*> adopt_shared(int fd, u64 offset, u64 length);
Status free_shared(void* memory);

}  // namespace weft::runtime
