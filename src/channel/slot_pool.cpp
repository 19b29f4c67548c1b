#include "channel/slot_pool.hpp"

#include <algorithm>

namespace weft::channel {

Result<SlotPool::Slots> SlotPool::take(std::size_t bytes) {
  constexpr std::size_t region_bytes = std::size_t{32} << 20;
  constexpr std::size_t page = 4096;  // slots of different peers share no page
  bytes = (bytes + page - 1) / page * page;
  if (region_.bytes.size() - used_ < bytes) {
    WEFT_ASSIGN(region_, transport_.allocate(std::max(region_bytes, bytes)));
    used_ = 0;
  }
  const Slots slots{{region_.key, used_}, region_.bytes.data() + used_};
  used_ += bytes;
  return slots;
}

}  // namespace weft::channel
