// Two ranks of one host with memory in common: counters by which they wait for each other, and room
// for messages.
//
// Lifetime: made by both ranks together; rank 0's memory lives until both have let go. Throws
// std::runtime_error. Threads: one a rank.
#pragma once
#include <atomic>

#include "perf/peer.hpp"
#include "perf/peers/pair/mapped.hpp"

namespace weft::perf::pair {

// Grows only, written by one rank, awaited by the other. It has two lines to itself, since
// processors fetch pairs of lines.
class alignas(128) Counter {
 public:
  // Whatever was stored before is there for a rank that sees the value.
  void reach(std::uint64_t value) { value_.store(value, std::memory_order_release); }
  // Spins: a sleep costs more than most calls take. After a minute the other rank counts as gone.
  void await(std::uint64_t value) const {
    if (value_.load(std::memory_order_acquire) < value) spin(value);
  }

 private:
  void spin(std::uint64_t value) const;
  std::atomic<std::uint64_t> value_;
};

// Both ranks' values of a type that is plain bytes.
template <class T>
struct Both {
  T of[2];
};

class Pair {
 public:
  Pair(const PeerJob& job, std::size_t room_bytes);

  int rank() const { return rank_; }
  static constexpr int counters = 4;
  Counter& own(int index) { return counter(rank_, index); }
  Counter& other(int index) { return counter(1 - rank_, index); }
  std::byte* room() const;

  // What each rank gives, over the communicator: for the start, not for a measurement.
  template <class T>
  Both<T> exchanged(const T& mine) const {
    Both<T> both;
    exchange(&mine, &both, sizeof mine);
    return both;
  }

 private:
  Counter& counter(int rank, int index) {
    return reinterpret_cast<Counter*>(memory_.begin())[rank * counters + index];
  }
  void exchange(const void* mine, void* both, std::size_t bytes) const;

  weft_comm_t comm_;
  int rank_;
  Mapped memory_;
};

// The user's buffers of both ranks: where the other's counterpart of an own address is mapped.
class SharedBuffers {
 public:
  SharedBuffers(const Pair& pair, const PeerBuffers& own);
  template <class T>
  T* at_other(T* own) const {
    const auto* at = reinterpret_cast<const std::byte*>(own);
    return reinterpret_cast<T*>(counterpart(at));
  }

 private:
  std::byte* counterpart(const std::byte* own) const;
  PeerBuffers own_;
  Mapped send_, receive_;
};

}  // namespace weft::perf::pair
