// A queue of records from one thread or process to another: lock-free, of fixed size, without
// pointers.
//
// The ring lives in memory both ends see, in this process or in a shared mapping that each maps
// where it likes: it holds nothing but one index and the records. Each end has its own private
// object (RingProducer, RingConsumer) with what it must not read from the other: the capacity, its
// own index, and a copy of the other's, so that the line of the index moves between cores only when
// the copy is used up. A record is contiguous and starts on a cache line, with a header of 8 bytes
// in front of its payload. A header that is not zero is a record: the consumer learns of a record
// and gets its first 56 bytes by the move of one cache line. So that nothing old is taken for a
// header, the consumer zeroes the first 8 bytes of each line that it gives back. It gives back an
// eighth of the ring at a time: a store to a line that the other core has written takes as long as
// a message, and stores leave a core in order, so one after every record would hold up the next
// send.
//
// A consumer trusts no number it reads: an impossible header makes it `corrupt` for good.
// Lifetime: the memory outlives both ends. Threads: one producing and one consuming.
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "base/types.hpp"

namespace weft {

// Bytes ever given back, on a line of its own. Zeroed memory is an empty ring, so a fresh shared
// mapping needs no start-up by either end.
//
// The stores and the loads that look for news are sequentially consistent unless the caller says
// otherwise, for sleepers: the consumer raises a flag and then looks at the ring, the producer
// publishes and then looks at the flag, and at least one of them sees the other.
struct RingIndex {
  alignas(cache_line_bytes) std::atomic<u64> read;
};
static_assert(std::atomic<u64>::is_always_lock_free);
static_assert(sizeof(RingIndex) == cache_line_bytes);

// Memory for a ring of `capacity` bytes of records; the capacity is a power of two, at least 256.
constexpr std::size_t ring_bytes(std::size_t capacity) { return sizeof(RingIndex) + capacity; }

namespace ring_detail {

struct Record {
  u32 payload_bytes;
  u32 kind;  // 0: no record
};
static_assert(sizeof(Record) == sizeof(u64));
inline constexpr u32 kind_record = 1, kind_skip = 2;  // skip: nothing more before the ring's end

constexpr u64 bytes_of_record(u64 payload_bytes) {
  return (sizeof(Record) + payload_bytes + cache_line_bytes - 1) / cache_line_bytes *
         cache_line_bytes;
}

// What both ends keep. The index lies in front of the records, or where the owner of many rings
// wants it.
class End {
 protected:
  explicit End(std::span<std::byte> memory)
      : End(reinterpret_cast<RingIndex*>(memory.data())->read, memory.subspan(sizeof(RingIndex))) {}
  End(std::atomic<u64>& read, std::span<std::byte> records)
      : read_index_(&read), records_(records.data()), capacity_(records.size()) {
    WEFT_ASSERT(reinterpret_cast<std::uintptr_t>(records_) % cache_line_bytes == 0);
    WEFT_ASSERT(std::has_single_bit(capacity_) && capacity_ >= 4 * cache_line_bytes);
  }
  std::byte* at(u64 index) const { return records_ + (index & (capacity_ - 1)); }
  u64 left_before_end(u64 index) const { return capacity_ - (index & (capacity_ - 1)); }

  std::atomic_ref<u64> header(u64 index) const {
    return std::atomic_ref<u64>(*reinterpret_cast<u64*>(at(index)));
  }

  std::atomic<u64>* read_index_;
  std::byte* records_;
  u64 capacity_;
};

}  // namespace ring_detail

class RingProducer : ring_detail::End {
 public:
  // The memory (ring_bytes of it, aligned to a cache line) was zeroed before either end began.
  explicit RingProducer(std::span<std::byte> memory) : End(memory) {}
  RingProducer(std::atomic<u64>& read, std::span<std::byte> records) : End(read, records) {}

  // The largest payload. Twice its record fits into seven eighths of the ring, so one whose records
  // have all been read takes any record, in front of its end or behind.
  std::size_t max_payload() const {
    return capacity_ / 16 * 7 / cache_line_bytes * cache_line_bytes - sizeof(ring_detail::Record);
  }

  // Room for one record, or nothing while the ring is full. Written by the caller, sent by commit;
  // reserving again before that starts over.
  std::byte* reserve(std::size_t payload_bytes) {
    WEFT_ASSERT(payload_bytes <= max_payload());
    const u64 size = ring_detail::bytes_of_record(payload_bytes);
    const u64 skip = size > left_before_end(written_) ? left_before_end(written_) : 0;
    if (!has_room(skip + size)) return nullptr;
    reserved_ = {.skip = skip, .size = size, .payload_bytes = static_cast<u32>(payload_bytes)};
    return at(written_ + skip) + sizeof(ring_detail::Record);
  }

  // `order`: release where the caller sees to sleepers by other means.
  void commit(std::memory_order order = std::memory_order_seq_cst) {
    const Reserved made = std::exchange(reserved_, {});
    const u64 record = written_ + made.skip;
    publish(record, made.payload_bytes, ring_detail::kind_record, order);
    // The skip comes last: the consumer stands there, and finds the record behind it complete.
    if (made.skip) publish(written_, 0, ring_detail::kind_skip, order);
    written_ = record + made.size;
  }

  // One record from two parts; false while the ring is full.
  bool push(std::span<const std::byte> first, std::span<const std::byte> second = {}) {
    std::byte* to = reserve(first.size() + second.size());
    if (!to) return false;
    if (!first.empty()) std::memcpy(to, first.data(), first.size());
    if (!second.empty()) std::memcpy(to + first.size(), second.data(), second.size());
    commit();
    return true;
  }

  // Whether a record of that size would be taken now.
  bool has_room_for(std::size_t payload_bytes) {
    const u64 size = ring_detail::bytes_of_record(payload_bytes);
    const u64 skip = size > left_before_end(written_) ? left_before_end(written_) : 0;
    return has_room(skip + size);
  }

 private:
  bool has_room(u64 bytes) {
    if (written_ + bytes - read_seen_ <= capacity_) return true;
    const u64 read = read_index_->load(std::memory_order_seq_cst);
    // An index that ran backwards or ahead is not believed: the ring stays full.
    if (read - read_seen_ <= written_ - read_seen_) read_seen_ = read;
    return written_ + bytes - read_seen_ <= capacity_;
  }
  void publish(u64 index, u32 payload_bytes, u32 kind, std::memory_order order) {
    header(index).store(std::bit_cast<u64>(ring_detail::Record{payload_bytes, kind}), order);
  }

  struct Reserved {
    u64 skip = 0, size = 0;
    u32 payload_bytes = 0;
  };
  Reserved reserved_;
  u64 written_ = 0, read_seen_ = 0;
};

class RingConsumer : ring_detail::End {
 public:
  explicit RingConsumer(std::span<std::byte> memory) : End(memory) {}
  RingConsumer(std::atomic<u64>& read, std::span<std::byte> records) : End(read, records) {}

  // The oldest record's payload, valid until pop; nothing while the ring is empty or corrupt.
  std::optional<std::span<const std::byte>> front() {
    for (;;) {
      const ring_detail::Record record = next();
      if (record.kind == 0) return std::nullopt;
      // Only a record that did not fit is skipped for, so never half of the ring.
      if (record.kind == ring_detail::kind_skip && left_before_end(read_) <= capacity_ / 2) {
        read_ += left_before_end(read_);
        continue;
      }
      const u64 size = ring_detail::bytes_of_record(record.payload_bytes);
      if (record.kind != ring_detail::kind_record || size > left_before_end(read_)) {
        corrupt_ = true;
        return std::nullopt;
      }
      front_bytes_ = size;
      return std::span<const std::byte>(at(read_) + sizeof record, record.payload_bytes);
    }
  }

  // Done with the front record. Requires that front returned one.
  void pop(std::memory_order order = std::memory_order_seq_cst) {
    WEFT_ASSERT(front_bytes_);
    read_ += std::exchange(front_bytes_, 0);
    if (read_ - given_back_ >= capacity_ / 8) give_back(order);
  }

  bool empty() const { return next().kind == 0; }
  bool corrupt() const { return corrupt_; }

 private:
  ring_detail::Record next() const {
    if (corrupt_) return {};
    return std::bit_cast<ring_detail::Record>(header(read_).load(std::memory_order_seq_cst));
  }

  void give_back(std::memory_order order) {
    for (; given_back_ != read_; given_back_ += cache_line_bytes)
      header(given_back_).store(0, std::memory_order_relaxed);
    read_index_->store(read_, order);
  }

  u64 read_ = 0, given_back_ = 0, front_bytes_ = 0;
  bool corrupt_ = false;
};

}  // namespace weft
