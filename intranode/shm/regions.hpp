// Memory that peers may put into: a rank's own regions, and its view of a peer's.
//
// A key names a place and how often the place has been used, so a released key finds nothing.
// Lifetime: a peer's region stays mapped until the peer withdraws it. Threads: one at a time.
#pragma once
#include <vector>

#include "intranode/shm/segment.hpp"
#include "transport/transport.hpp"

namespace weft::shm {

inline constexpr u32 region_places = 1024;

class OwnRegions {
 public:
  Result<transport::Region> allocate(std::size_t bytes);
  Result<transport::RegionKey> adopt(int file, std::size_t bytes);
  void release(transport::RegionKey key);
  const Segment* find(transport::RegionKey key) const;  // null: released
  std::vector<transport::RegionKey> keys() const;

 private:
  struct Place {
    u32 uses = 0;
    transport::RegionKey key = 0;  // 0: free
    Segment segment;
  };
  Result<transport::RegionKey> place(Segment segment);
  std::vector<Place> places_;
};

class PeerRegions {
 public:
  // Errors: a key that no rank gives out, or one that is in use.
  Status add(transport::RegionKey key, Mapping pages);
  void remove(transport::RegionKey key);
  std::span<std::byte> find(transport::RegionKey key) const {
    const u32 place = key % region_places;
    if (key == 0 || place >= places_.size() || places_[place].key != key) return {};
    return places_[place].pages.bytes();
  }

 private:
  struct Place {
    transport::RegionKey key = 0;
    Mapping pages;
  };
  std::vector<Place> places_;
};

}  // namespace weft::shm
