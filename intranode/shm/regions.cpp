#include "intranode/shm/regions.hpp"

#include <algorithm>

namespace weft::shm {

using transport::Region;
using transport::RegionKey;

Result<RegionKey> OwnRegions::place(Segment segment) {
  auto free = std::find_if(places_.begin(), places_.end(), [](const Place& p) { return !p.key; });
  if (free == places_.end() && places_.size() == region_places)
    return fail(Code::system_error, "all {} regions of this transport are in use: release some",
                region_places);
  if (free == places_.end()) free = places_.emplace(places_.end());
  const u32 index = static_cast<u32>(free - places_.begin());
  free->uses = free->uses % (UINT32_MAX / region_places - 1) + 1;  // never 0: 0 is no key
  free->key = free->uses * region_places + index;
  free->segment = std::move(segment);
  return free->key;
}

Result<Region> OwnRegions::allocate(std::size_t bytes) {
  WEFT_ASSIGN(Segment segment, create_segment(bytes));
  const std::span<std::byte> pages = segment.pages.bytes();
  WEFT_ASSIGN(const RegionKey key, place(std::move(segment)));
  return Region{key, pages};
}

Result<RegionKey> OwnRegions::adopt(int file, std::size_t bytes) {
  WEFT_ASSIGN(Segment segment, adopt_segment(file, bytes));
  return place(std::move(segment));
}

void OwnRegions::release(RegionKey key) {
  WEFT_ASSERT(find(key));
  Place& place = places_[key % region_places];
  place.key = 0;
  place.segment = Segment{};
}

const Segment* OwnRegions::find(RegionKey key) const {
  const u32 place = key % region_places;
  return key && place < places_.size() && places_[place].key == key ? &places_[place].segment
                                                                    : nullptr;
}

std::vector<RegionKey> OwnRegions::keys() const {
  std::vector<RegionKey> keys;
  for (const Place& place : places_)
    if (place.key) keys.push_back(place.key);
  return keys;
}

Status PeerRegions::add(RegionKey key, Mapping pages) {
  const u32 index = key % region_places;
  if (index >= places_.size()) places_.resize(index + 1);
  Place& place = places_[index];
  if (key < region_places || place.key)
    return fail(Code::remote_error, "region key {} is not a new one", key);
  place.key = key;
  place.pages = std::move(pages);
  return {};
}

void PeerRegions::remove(RegionKey key) {
  if (!find(key).empty()) places_[key % region_places] = Place{};
}

}  // namespace weft::shm
