#include "intranode/host/tree.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace weft::host {
namespace {

// Few enough for several levels of partial results to share a 32 KiB cache with the operands.
constexpr std::size_t tile_bytes = 4096;

GroupFunction group_of(const Groups& groups, std::size_t count) {
  switch (count) {
    case 2: return groups.two;
    case 3: return groups.three;
    case 4: return groups.four;
    case 8: return groups.eight;
    default: return nullptr;
  }
}

// The target is written last, when all of its tile has been read from every operand of the left
// side: it may be one of them. On the right side the same holds one level down.
void tile(const Groups& groups, std::byte* target, const std::byte* const* operands,
          std::size_t count, std::size_t offset, std::size_t bytes) {
  if (const GroupFunction group = group_of(groups, count)) {
    group(target, operands, offset, bytes);
    return;
  }
  alignas(cache_line_bytes) std::byte partial[tile_bytes];
  const std::size_t left = std::bit_floor(count - 1);
  const std::size_t right = count - left;
  tile(groups, partial, operands, left, offset, bytes);
  const std::byte* sides[] = {partial, operands[left] + offset};
  if (right > 1) {
    tile(groups, target, operands + left, right, offset, bytes);
    sides[1] = target;
  }
  groups.two(target, sides, 0, bytes);
}

// Bytes up to the first vector of the target that lies on a cache line: stores that cross lines
// cost twice. Zero where the elements themselves lie askew or where there is too little to gain.
std::size_t head_of(const std::byte* target, std::size_t element_bytes, std::size_t bytes) {
  const std::size_t head = (0 - reinterpret_cast<std::uintptr_t>(target)) % cache_line_bytes;
  return bytes < tile_bytes || head % element_bytes != 0 ? 0 : head;
}

}  // namespace

void reduce_by_groups(const Groups& groups, std::size_t element_bytes, std::byte* target,
                      const std::byte* const* operands, std::size_t count, std::size_t bytes) {
  if (bytes == 0) return;
  if (count == 1) {
    if (target != operands[0]) std::memcpy(target, operands[0], bytes);
    return;
  }
  const std::size_t head = head_of(target, element_bytes, bytes);
  const bool whole = group_of(groups, count) != nullptr;
  for (std::size_t at = 0; at < bytes;) {
    const std::size_t most = at < head ? head : whole ? bytes : tile_bytes;
    const std::size_t part = std::min(most, bytes - at);
    tile(groups, target + at, operands, count, at, part);
    at += part;
  }
}

}  // namespace weft::host
