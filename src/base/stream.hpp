// Copies whose target is not kept in this core's caches: for bytes that nobody reads here soon.
//
// An ordinary store first brings the line into this core's cache, from memory or from the core that
// read it last, and pushes out another. A streaming (non-temporal) store writes whole lines past
// the caches: half the traffic where the data is larger than they are, and no question to the
// core that had the line. Where the processor has none the copy is ordinary. Threads: any.
#pragma once
#include <cstddef>

namespace weft {

// No overlap; any alignment, though only lines that are written whole are streamed. Other cores may
// see the bytes late, and out of order with what is stored after them, until stream_fence().
void stream_copy(std::byte* target, const std::byte* source, std::size_t bytes);

// Between streamed copies and the store that tells another core of them.
void stream_fence();

}  // namespace weft
