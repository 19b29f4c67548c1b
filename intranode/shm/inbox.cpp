#include "intranode/shm/inbox.hpp"

namespace weft::shm {
namespace {

// Enough for the credits of a few channels, small enough that the rings of 64 peers stay in cache.
constexpr std::size_t ring_capacity = 16 << 10;

struct alignas(cache_line_bytes) Control {
  std::atomic<u64> read;
  std::atomic<u32> starved;
};
constexpr std::size_t slot_bytes = sizeof(Control) + ring_capacity;

constexpr std::size_t first_slot(u32 slots) {
  const std::size_t indices = slots * sizeof(std::atomic<u64>);
  return cache_line_bytes + (indices + cache_line_bytes - 1) / cache_line_bytes * cache_line_bytes;
}

}  // namespace

std::size_t InboxView::bytes_for(u32 slots) { return first_slot(slots) + slots * slot_bytes; }

InboxView::InboxView(std::span<std::byte> memory, u32 slots)
    : memory_(memory.data()), slots_(slots) {
  WEFT_ASSERT(memory.size() == bytes_for(slots));
}

std::atomic<u32>& InboxView::asleep() const {
  return *reinterpret_cast<std::atomic<u32>*>(memory_);
}
std::atomic<u64>& InboxView::written(u32 slot) const {
  return reinterpret_cast<std::atomic<u64>*>(memory_ + cache_line_bytes)[slot];
}
std::byte* InboxView::control_of(u32 slot) const {
  return memory_ + first_slot(slots_) + slot * slot_bytes;
}
std::atomic<u64>& InboxView::read(u32 slot) const {
  return reinterpret_cast<Control*>(control_of(slot))->read;
}
std::atomic<u32>& InboxView::starved(u32 slot) const {
  return reinterpret_cast<Control*>(control_of(slot))->starved;
}
std::span<std::byte> InboxView::records(u32 slot) const {
  return {control_of(slot) + sizeof(Control), ring_capacity};
}

Inbox::Inbox(Segment segment, u32 slots)
    : segment_(std::move(segment)), slots_(slots), view_(segment_.pages.bytes(), slots) {}

Result<Inbox> Inbox::create(u32 slots) {
  WEFT_ASSERT(slots <= InboxView::max_slots);
  WEFT_ASSIGN(Segment segment, create_segment(InboxView::bytes_for(slots)));
  return Inbox(std::move(segment), slots);
}

RingConsumer Inbox::consumer(u32 slot) const {
  return RingConsumer(view_.written(slot), view_.read(slot), view_.records(slot));
}

Outbox::Outbox(Mapping pages, u32 slots, u32 slot)
    : pages_(std::move(pages)),
      view_(pages_.bytes(), slots),
      slot_(slot),
      ring_(view_.written(slot), view_.read(slot), view_.records(slot)) {}

Result<Outbox> Outbox::open(int file, u32 slots, u32 slot) {
  if (slots > InboxView::max_slots || slot >= slots)
    return fail(Code::remote_error, "slot {} of {} is no place in an inbox", slot, slots);
  WEFT_ASSIGN(Mapping pages, map_segment(file, InboxView::bytes_for(slots)));
  return Outbox(std::move(pages), slots, slot);
}

}  // namespace weft::shm
