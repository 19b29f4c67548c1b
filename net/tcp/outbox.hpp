// What waits to be sent on one socket: a bounded queue that leaves in as few system calls as it
// can.
//
// Heads, notices and small payloads are copied into a ring of bytes, where neighbours grow
// together; large payloads are only referred to, and their source is busy until the kernel has
// them. All memory is taken when the link is made. Threads: its endpoint's.
#pragma once
#include <sys/uio.h>

#include <vector>

#include "base/handle.hpp"
#include "net/tcp/frame.hpp"

namespace weft::tcp {

// A first-in first-out list of fixed room.
template <class T>
class Fifo {
 public:
  explicit Fifo(std::size_t room) : items_(room) {}
  std::size_t size() const { return size_; }
  std::size_t room() const { return items_.size() - size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return items_[(first_ + i) % items_.size()]; }
  T& back() { return (*this)[size_ - 1]; }
  void push(const T& item) { items_[(first_ + size_++) % items_.size()] = item; }
  T pop() {
    const T item = (*this)[0];
    first_ = (first_ + 1) % items_.size();
    --size_;
    return item;
  }
  void pop_back() { --size_; }

 private:
  std::vector<T> items_;
  std::size_t first_ = 0, size_ = 0;
};

class Outbox {
 public:
  static Result<Outbox> make();

  transport::Posted post(const Head& head, std::span<const transport::Piece> pieces,
                         transport::Notice notice, transport::Cookie cookie);
  // Whether it should not wait for push.
  bool is_heavy() const { return queued_bytes_ >= heavy_bytes; }
  bool is_empty() const { return segments_.empty(); }
  // The kernel took all it wants for now; set until it says it wants more.
  bool is_blocked() const { return blocked_; }
  void unblock() { blocked_ = false; }

  // Sends until all is gone or the kernel's buffer is full. 0, or the errno of a broken connection.
  int flush(int socket);
  u64 bytes_flushed() const { return flushed_bytes_; }  // since the start
  u64 bytes_posted() const { return flushed_bytes_ + queued_bytes_; }

  // Cookies of puts whose sources are free, in order.
  bool has_finished() const { return !finished_.empty(); }
  transport::Cookie take_finished() { return finished_.pop(); }
  // The put just posted was gone before anyone was told that it is pending.
  void forget_last_finished() { finished_.pop_back(); }

 private:
  // A run of bytes in the order of sending.
  struct Segment {
    const std::byte* source = nullptr;  // null: the next bytes of the ring
    u64 bytes = 0;
    transport::Cookie cookie = 0;  // told when it is sent
  };

  // Posts that are not copied refer to their source; larger copies cost more than a reference.
  static constexpr std::size_t copy_at_most = 8 << 10;
  static constexpr std::size_t ring_bytes = 128 << 10;
  static constexpr std::size_t heavy_bytes = 1 << 20;
  static constexpr std::size_t segment_room = 1024;

  explicit Outbox(Mapping ring) : ring_(std::move(ring)) {}
  void copy_in(std::span<const std::byte> bytes);
  void refer_to(std::span<const std::byte> bytes, transport::Cookie cookie);
  std::size_t gather(std::span<iovec> into);
  void sent(u64 bytes);

  Mapping ring_;
  u64 ring_in_ = 0, ring_out_ = 0;  // ever written and sent; place in the ring: modulo its size
  Fifo<Segment> segments_{segment_room};
  Fifo<transport::Cookie> finished_{segment_room};
  std::size_t unfinished_ = 0;  // cookies in segments_
  u64 queued_bytes_ = 0, flushed_bytes_ = 0;
  bool blocked_ = false;
};

}  // namespace weft::tcp
