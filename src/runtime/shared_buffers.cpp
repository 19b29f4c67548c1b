#include "runtime/shared_buffers.hpp"

#include <algorithm>

#include "base/log.hpp"

namespace weft::runtime {

executor::Shared SharedBuffers::find(const void* buffer, u64 bytes, const std::byte* origin) {
  if (!transport_ || bytes == 0) return {};
  if (shared_version() != version_) refresh();
  const auto* const begin = static_cast<const std::byte*>(buffer);
  const auto after =
      std::upper_bound(known_.begin(), known_.end(), begin,
                       [](const std::byte* at, const Known& k) { return at < k.piece.memory; });
  if (after == known_.begin()) return {};
  Known& known = *(after - 1);
  const u64 into = u64(begin - known.piece.memory);
  if (into > known.piece.bytes || bytes > known.piece.bytes - into || known.refused) return {};
  if (!known.region) {
    const auto shared = transport_->share_file(known.piece.file, known.piece.file_bytes);
    known.refused = !shared;
    if (!shared) {
      log::debug("a buffer is copied through slots: {}", shared.error().text);
      return {};
    }
    known.region = *shared;
  }
  const u64 distance = u64(reinterpret_cast<std::uintptr_t>(origin)) -
                       u64(reinterpret_cast<std::uintptr_t>(known.piece.memory));
  return {known.region, known.piece.offset + distance};
}

// What was freed is withdrawn, what is new is known; the rest keeps its key.
void SharedBuffers::refresh() {
  version_ = shared_version();
  std::vector<Known> before = std::exchange(known_, {});
  for (const SharedPiece& piece : shared_pieces()) {
    Known known{piece};
    for (Known& old : before)
      if (old.piece.name == piece.name) {
        known = old;
        old.region = 0;
      }
    known_.push_back(known);
  }
  for (const Known& old : before)
    if (old.region) transport_->release(old.region);
}

}  // namespace weft::runtime
