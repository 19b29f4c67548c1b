// The memory one rank lets its peers put into, by key: what a transport keeps behind allocate,
// register_memory and release.
//
// A key names a slot and how often the slot has been used, so a key that was released finds
// nothing, also when the slot has a new owner. Looking up takes no lock, so that threads of peers
// may do it while the owner adds and releases; who writes into what he found must not outlive
// release, which is for the transport to see to. Lifetime: allocated memory is returned by release
// or the destructor. Threads: find and target any; the rest one.
#pragma once
#include <array>
#include <atomic>
#include <vector>

#include "base/handle.hpp"
#include "transport/transport.hpp"

namespace weft::transport {

class RegionTable {
 public:
  static constexpr u32 slot_count = 1024;

  // New zeroed pages. Errors: no bytes, no memory, no free slot.
  Result<Region> allocate(std::size_t bytes) {
    if (bytes == 0) return fail(Code::invalid_argument, "allocating a region of 0 bytes");
    WEFT_ASSIGN(Mapping pages, Mapping::anonymous(bytes));
    WEFT_ASSIGN(const Region region, add(pages.bytes()));
    owned_[region.key % slot_count] = std::move(pages);
    return region;
  }

  // The caller's memory, which stays valid until release.
  Result<Region> add(std::span<std::byte> memory) {
    for (u32 tried = 0; tried < slot_count; ++tried) {
      const u32 index = next_++ % slot_count;
      Slot& slot = slots_[index];
      if (slot.key.load(std::memory_order_relaxed)) continue;
      slot.uses = slot.uses % (UINT32_MAX / slot_count - 1) + 1;  // never 0: 0 is no key
      slot.first.store(memory.data(), std::memory_order_relaxed);
      slot.bytes.store(memory.size(), std::memory_order_relaxed);
      slot.key.store(slot.uses * slot_count + index, std::memory_order_release);
      return Region{slot.key.load(std::memory_order_relaxed), memory};
    }
    return fail(Code::system_error, "all {} regions of this transport are in use: release some",
                slot_count);
  }

  // From now on nobody finds it; the pages go once `give_back` is called, so that the transport can
  // wait in between for who found it before.
  void hide(RegionKey key) {
    Slot& slot = slots_[key % slot_count];
    WEFT_ASSERT(key && slot.key.load(std::memory_order_relaxed) == key);
    slot.key.store(0, std::memory_order_seq_cst);
  }
  void give_back(RegionKey key) { owned_[key % slot_count] = Mapping(); }

  // The region's memory, empty if there is none of that key.
  std::span<std::byte> find(RegionKey key) const {
    const Slot& slot = slots_[key % slot_count];
    if (key == 0 || slot.key.load(std::memory_order_seq_cst) != key) return {};
    return {slot.first.load(std::memory_order_relaxed), slot.bytes.load(std::memory_order_relaxed)};
  }

  // Where a put of `bytes` goes, or null if not all of it lies in a region of ours.
  std::byte* target(RemoteAddress to, u64 bytes) const {
    const std::span<std::byte> region = find(to.key);
    if (to.offset > region.size() || bytes > region.size() - to.offset) return nullptr;
    return region.data() + to.offset;
  }

 private:
  struct Slot {
    std::atomic<u32> key = 0;
    u32 uses = 0;
    std::atomic<std::byte*> first = nullptr;
    std::atomic<std::size_t> bytes = 0;
  };
  std::array<Slot, slot_count> slots_;
  std::vector<Mapping> owned_{slot_count};
  u32 next_ = 0;
};

}  // namespace weft::transport
