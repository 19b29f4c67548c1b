#include "intranode/shm/inbox.hpp"

#include "base/asymmetric_fence.hpp"

namespace weft::shm {

Inbox::Inbox(Segment segment, u32 slots)
    : segment_(std::move(segment)), slots_(slots), view_(segment_.pages.bytes(), slots) {}

Result<Inbox> Inbox::create(u32 slots) {
  WEFT_ASSERT(slots <= InboxView::max_slots);
  WEFT_ASSIGN(Segment segment, create_segment(InboxView::bytes_for(slots)));
  Inbox inbox(std::move(segment), slots);
  inbox.view().fences().store(register_for_heavy_fences(), std::memory_order_relaxed);
  return inbox;
}

RingConsumer Inbox::consumer(u32 slot) const {
  return RingConsumer(view_.read(slot), view_.records(slot));
}

Outbox::Outbox(Mapping pages, u32 slots, u32 slot)
    : pages_(std::move(pages)),
      view_(pages_.bytes(), slots),
      slot_(slot),
      ring_(view_.read(slot), view_.records(slot)) {}

Result<Outbox> Outbox::open(int file, u32 slots, u32 slot) {
  if (slots > InboxView::max_slots || slot >= slots)
    return fail(Code::remote_error, "slot {} of {} is no place in an inbox", slot, slots);
  WEFT_ASSIGN(Mapping pages, map_segment(file, InboxView::bytes_for(slots)));
  return Outbox(std::move(pages), slots, slot);
}

}  // namespace weft::shm
