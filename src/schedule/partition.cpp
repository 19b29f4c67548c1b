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

Partition Partition::uneven(Tiling tiling, Blocks in, Blocks out, u64 unit) {
  Partition made(std::move(tiling), 0, unit);
  made.plane_at_.assign(1, 0);
  const auto lay = [&](const Blocks& blocks) {
    for (const u64 count : blocks.count)
      made.plane_at_.push_back(made.plane_at_.back() + round_up(count, unit));
  };
  lay(in);
  if (made.tiling_.pairs) lay(out);
  made.blocks_[input] = std::move(in);
  made.blocks_[output] = std::move(out);
  return made;
}

void Partition::look_from(const Program& program) {
  rank_ = program.rank;
  if (!tiling_.pairs) return;
  for (const Step& s : program.steps)
    if (s.target.valid())
      for_each_atom(program, s, s.target, [&](u32 atom) {
        if (atom % tiling_.sub != rank_ && atom / tiling_.sub != rank_)
          passing_.try_emplace(atom, u32(passing_.size()));
      });
}

Extent Partition::in_slice(u32 atom, u64 n) const {
  if (tiling_.pairs) return {0, n};
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

// Of the slice of its vector or block.
u64 Partition::count_of(u32 atom, Slice slice) const {
  if (!is_uneven()) return slice.end - slice.begin;
  if (!tiling_.pairs) return blocks_[input].count[block_of(atom)];
  const u32 source = atom % tiling_.sub, target = atom / tiling_.sub;
  return source == rank_ ? blocks_[input].count[target] : blocks_[output].count[source];
}

Extent Partition::in_vector(u32 atom, Slice slice, Buffer buffer) const {
  Extent extent = in_slice(atom, count_of(atom, slice));
  if (!tiling_.blocks) return {extent.offset + slice.begin, extent.count};
  u32 block = 0;
  if (tiling_.pairs)
    block = buffer == input ? atom / tiling_.sub : atom % tiling_.sub;
  else
    block = block_of(atom);
  extent.offset += is_uneven() ? blocks_[buffer].at[block] : slice.begin + block * count_;
  return extent;
}

u32 Partition::place_of_pair(u32 atom) const {
  const u32 source = atom % tiling_.sub, target = atom / tiling_.sub;
  if (source == rank_) return target;
  return tiling_.shards + (target == rank_ ? source : tiling_.sub + passing_.at(atom));
}

Extent Partition::in_plane(u32 atom, Slice slice) const {
  const u64 n = slice.end - slice.begin;
  Extent extent = in_slice(atom, count_of(atom, slice));
  if (!tiling_.blocks) return extent;
  const u32 block = tiling_.pairs ? place_of_pair(atom) : block_of(atom);
  extent.offset += is_uneven() ? plane_at_[block] : block * stride(n);
  return extent;
}

// From block to block in a plane. Pairs lie close, so that many of them are one stretch: nothing is
// computed there.
u64 Partition::stride(u64 n) const { return tiling_.pairs ? n : round_up(n, unit_); }

u32 Partition::blocks() const {
  if (tiling_.pairs) return tiling_.shards + tiling_.sub + u32(passing_.size());
  return tiling_.parts.empty() ? tiling_.atoms() : u32(tiling_.parts.size());
}

u64 Partition::plane_elements(Slice slice) const {
  const u64 n = slice.end - slice.begin;
  if (is_uneven()) return plane_at_.back();
  return tiling_.blocks ? blocks() * stride(n) : n;
}

}  // namespace weft::schedule
