// A queue of records from one thread or process to another: lock-free, of fixed size, without
// pointers.
//
// The ring lives in memory both ends see, in this process or in a shared mapping that each maps
// where it likes: it holds nothing but two indices and the records. Each end has its own private
// object (RingProducer, RingConsumer) with what it must not read from the other: the capacity, its
// own index, and a copy of the other's, so that the line of an index moves between cores only when
// the copy is used up. A record is contiguous and starts on a cache line; its payload starts 8
// bytes into it.
//
// A consumer trusts no number it reads: an impossible index or size makes it `corrupt` for good.
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

// Bytes ever written and ever read, on lines of their own. Zeroed memory is an empty ring, so a
// fresh shared mapping needs no start-up by either end.
//
// The stores and the loads that look for news are sequentially consistent, for sleepers: the
// consumer raises a flag and then looks at the ring, the producer publishes and then looks at the
// flag, and at least one of them sees the other. (Fences would do, but TSan does not know them.)
struct RingIndices {
  alignas(cache_line_bytes) std::atomic<u64> written;
  alignas(cache_line_bytes) std::atomic<u64> read;
};
static_assert(std::atomic<u64>::is_always_lock_free);
static_assert(sizeof(RingIndices) == 2 * cache_line_bytes);

// Memory for a ring of `capacity` bytes of records; the capacity is a power of two, at least 256.
constexpr std::size_t ring_bytes(std::size_t capacity) { return sizeof(RingIndices) + capacity; }

namespace ring_detail {

struct Record {
  u32 payload_bytes;
  u32 kind;
};
inline constexpr u32 kind_record = 1, kind_skip = 2;  // skip: nothing more before the ring's end

constexpr u64 bytes_of_record(u64 payload_bytes) {
  return (sizeof(Record) + payload_bytes + cache_line_bytes - 1) / cache_line_bytes *
         cache_line_bytes;
}

// What both ends keep. The indices lie in front of the records, or where the owner of many rings
// wants them: side by side, so that one look at a line tells which rings have something new.
class End {
 protected:
  explicit End(std::span<std::byte> memory)
      : End(reinterpret_cast<RingIndices*>(memory.data())->written,
            reinterpret_cast<RingIndices*>(memory.data())->read,
            memory.subspan(sizeof(RingIndices))) {}
  End(std::atomic<u64>& written, std::atomic<u64>& read, std::span<std::byte> records)
      : written_index_(&written),
        read_index_(&read),
        records_(records.data()),
        capacity_(records.size()) {
    WEFT_ASSERT(reinterpret_cast<std::uintptr_t>(records_) % cache_line_bytes == 0);
    WEFT_ASSERT(std::has_single_bit(capacity_) && capacity_ >= 4 * cache_line_bytes);
  }
  std::byte* at(u64 index) const { return records_ + (index & (capacity_ - 1)); }
  u64 left_before_end(u64 index) const { return capacity_ - (index & (capacity_ - 1)); }

  std::atomic<u64>* written_index_;
  std::atomic<u64>* read_index_;
  std::byte* records_;
  u64 capacity_;
};

}  // namespace ring_detail

class RingProducer : ring_detail::End {
 public:
  // The memory (ring_bytes of it, aligned to a cache line) was zeroed before either end began.
  explicit RingProducer(std::span<std::byte> memory) : End(memory) {}
  RingProducer(std::atomic<u64>& written, std::atomic<u64>& read, std::span<std::byte> records)
      : End(written, read, records) {}

  // The largest payload: two records always fit, so a ring that drains takes any record.
  std::size_t max_payload() const { return capacity_ / 2 - sizeof(ring_detail::Record); }

  // Room for one record, or nothing while the ring is full. Written by the caller, sent by commit;
  // reserving again before that starts over.
  std::byte* reserve(std::size_t payload_bytes) {
    WEFT_ASSERT(payload_bytes <= max_payload());
    const u64 size = ring_detail::bytes_of_record(payload_bytes);
    const u64 skip = size > left_before_end(written_) ? left_before_end(written_) : 0;
    if (!has_room(skip + size)) return nullptr;
    if (skip) put_header(written_, 0, ring_detail::kind_skip);
    put_header(written_ + skip, static_cast<u32>(payload_bytes), ring_detail::kind_record);
    reserved_ = skip + size;
    return at(written_ + skip) + sizeof(ring_detail::Record);
  }

  // `order`: release where the caller sees to sleepers by other means.
  void commit(std::memory_order order = std::memory_order_seq_cst) {
    written_ += std::exchange(reserved_, 0);
    written_index_->store(written_, order);
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
  bool drained() const { return read_index_->load(std::memory_order_seq_cst) == written_; }

 private:
  bool has_room(u64 bytes) {
    if (written_ + bytes - read_seen_ <= capacity_) return true;
    const u64 read = read_index_->load(std::memory_order_seq_cst);
    // An index that ran backwards or ahead is not believed: the ring stays full.
    if (read - read_seen_ <= written_ - read_seen_) read_seen_ = read;
    return written_ + bytes - read_seen_ <= capacity_;
  }
  void put_header(u64 index, u32 payload_bytes, u32 kind) {
    const ring_detail::Record header{payload_bytes, kind};
    std::memcpy(at(index), &header, sizeof header);
  }

  u64 written_ = 0, read_seen_ = 0, reserved_ = 0;
};

class RingConsumer : ring_detail::End {
 public:
  explicit RingConsumer(std::span<std::byte> memory) : End(memory) {}
  RingConsumer(std::atomic<u64>& written, std::atomic<u64>& read, std::span<std::byte> records)
      : End(written, read, records) {}

  // The oldest record's payload, valid until pop; nothing while the ring is empty or corrupt.
  std::optional<std::span<const std::byte>> front() {
    for (;;) {
      if (!has_records()) return std::nullopt;
      const ring_detail::Record header = header_at(read_);
      const u64 size = header.kind == ring_detail::kind_skip
                           ? left_before_end(read_)
                           : ring_detail::bytes_of_record(header.payload_bytes);
      if (header.kind == ring_detail::kind_skip && size < written_seen_ - read_) {
        read_ += size;
        continue;
      }
      if (header.kind != ring_detail::kind_record ||
          size > std::min(written_seen_ - read_, left_before_end(read_))) {
        corrupt_ = true;
        return std::nullopt;
      }
      front_bytes_ = size;
      return std::span<const std::byte>(at(read_) + sizeof header, header.payload_bytes);
    }
  }

  // Gives the front record's space back. Requires that front returned one.
  void pop(std::memory_order order = std::memory_order_seq_cst) {
    WEFT_ASSERT(front_bytes_);
    read_ += std::exchange(front_bytes_, 0);
    read_index_->store(read_, order);
  }

  bool empty() { return !has_records(); }
  bool corrupt() const { return corrupt_; }

 private:
  bool has_records() {
    if (corrupt_) return false;
    if (written_seen_ != read_) return true;
    const u64 written = written_index_->load(std::memory_order_seq_cst);
    if (written - read_ > capacity_ || written % cache_line_bytes) corrupt_ = true;
    if (!corrupt_) written_seen_ = written;
    return written_seen_ != read_;
  }
  ring_detail::Record header_at(u64 index) const {
    ring_detail::Record header;
    std::memcpy(&header, at(index), sizeof header);
    return header;
  }

  u64 read_ = 0, written_seen_ = 0, front_bytes_ = 0;
  bool corrupt_ = false;
};

}  // namespace weft
