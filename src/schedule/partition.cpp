#include "schedule/partition.hpp"

#include <algorithm>
#include <utility>

#include "base/result.hpp"

namespace weft::schedule {

namespace {

u64 round_up(u64 n, u64 unit) { return (n + unit - 1) / unit * unit; }

}  // namespace

u64 cut(u64 n, u32 parts, u32 i, u64 unit) {
  const unsigned __int128 units = (n + unit - 1) / unit;  // times i may pass 64 bits
  return std::min(n, u64(units * i / parts) * unit);
}

Partition::Partition(Tiling tiling, u64 count, u64 unit)
    : tiling_(std::move(tiling)), count_(count), unit_(unit) {
  WEFT_ASSERT(unit_ > 0 && tiling_.shards > 0 && tiling_.sub > 0);
}

Partition Partition::token() { return Partition(Tiling{}, 1, 1); }

Extent Partition::in_slice(u32 atom, u64 n) const {
  if (tiling_.blocks) {
    const u32 block = block_of(atom);
    const u32 part = tiling_.part.empty() ? 0 : tiling_.part[atom];
    const u32 parts = tiling_.parts.empty() ? 1 : tiling_.parts[block];
    const u64 begin = cut(n, parts, part, unit_);
    return {begin, cut(n, parts, part + 1, unit_) - begin};
  }
  const u32 shard = atom / tiling_.sub, sub = atom % tiling_.sub;
  const u64 begin = cut(n, tiling_.shards, shard, unit_);
  const u64 size = cut(n, tiling_.shards, shard + 1, unit_) - begin;
  const u64 from = cut(size, tiling_.sub, sub, unit_);
  return {begin + from, cut(size, tiling_.sub, sub + 1, unit_) - from};
}

Extent Partition::in_vector(u32 atom, Slice slice) const {
  Extent extent = in_slice(atom, slice.end - slice.begin);
  extent.offset += slice.begin;
  if (tiling_.blocks) extent.offset += block_of(atom) * count_;
  return extent;
}

Extent Partition::in_plane(u32 atom, Slice slice) const {
  const u64 n = slice.end - slice.begin;
  Extent extent = in_slice(atom, n);
  if (tiling_.blocks) extent.offset += block_of(atom) * round_up(n, unit_);
  return extent;
}

u64 Partition::plane_elements(Slice slice) const {
  const u64 n = slice.end - slice.begin;
  if (!tiling_.blocks) return n;
  const u64 blocks = tiling_.parts.empty() ? tiling_.atoms() : tiling_.parts.size();
  return blocks * round_up(n, unit_);
}

}  // namespace weft::schedule
