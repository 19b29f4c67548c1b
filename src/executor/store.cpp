// Results on their way to memory: to one place or to several, into the caches or past them.
#include <algorithm>
#include <cstring>

#include "base/stream.hpp"
#include "executor/engine.hpp"

namespace weft::executor {
namespace {

// Small enough to be read again from the nearest caches, large enough for the start of each copy to
// cost little.
constexpr u64 tile_bytes = 16384;
// Streamed copies to several places take turns, and memory is slower the longer a turn lasts: 8 KiB
// cost a third, 512 bytes next to nothing.
constexpr u64 streamed_tile_bytes = 512;

// Up to the next place of a target where a tile begins: on a cache line, where kernels and
// streamed copies have no head to see to, unless elements themselves lie askew.
u64 tile_of(const std::byte* target, u64 most, u64 bytes, u32 element_bytes) {
  const u64 askew = reinterpret_cast<std::uintptr_t>(target) % cache_line_bytes;
  return std::min(askew % element_bytes ? most : most - askew, bytes);
}

}  // namespace

// Is the result of the receive also stored where this lender wants the answer? The loan is at the
// front of its channel.
bool Engine::lands(const Frame& frame, u32 end) const {
  const End& e = frame.plan->ends[end];
  if (e.answer == no_end) return false;
  const channel::RecvChannel& channel = *e.recv[frame.index];
  return channel.front().base && channel.landing().open &&
         channel.landing().number == frame.plan->ends[e.answer].number[frame.kind];
}

void Engine::store(Frame& frame, const LoweredStep& s, std::byte* target, const std::byte* source,
                   u64 bytes) {
  if (source == target) return;  // the transport has read it there: Engine::offer_destination
  if (!frame.plan->streams || s.readers) {
    std::memcpy(target, source, bytes);
    return;
  }
  stream_copy(target, source, bytes);
  stream_fence();  // whoever waits for the call may let another core read
}

// The kernel writes a tile, and while it is still in the nearest cache it is copied on: so a result
// costs each place one store and nobody a second read. What is larger than the caches goes past
// them, if no step here reads it again.
void Engine::store_reduced(Frame& frame, const LoweredStep& s, std::byte* target, u32 operands,
                           u64 bytes) {
  const Operation& operation = *frame.operation;
  const bool streams =
      frame.plan->streams && (s.readers == 0 || (s.readers == 1 && landings_.size() == s.ends));
  if (landings_.empty() && !streams)
    return operation.reduce(target, operands_.data(), operands, bytes / operation.element_bytes);
  alignas(cache_line_bytes) std::byte tile[streamed_tile_bytes];
  for (u64 at = 0, n; at < bytes; at += n) {
    n = tile_of(target + at, streams ? streamed_tile_bytes : tile_bytes, bytes - at,
                operation.element_bytes);
    std::byte* const result = streams ? tile : target + at;
    operation.reduce(result, operands_.data(), operands, n / operation.element_bytes);
    for (u32 i = 0; i < operands; ++i) operands_[i] += n;
    if (streams) stream_copy(target + at, result, n);
    for (std::byte* const landing : landings_)
      if (streams)
        stream_copy(landing + at, result, n);
      else
        std::memcpy(landing + at, result, n);
  }
  // The credit for the loan and the word that the answer is in place are stored after this.
  if (streams) stream_fence();
}

}  // namespace weft::executor
