/**
 * @file memory.hpp
 * @brief Memory that transports can reach without staging, and registrations of other memory.
 *
 * Any memory may be used in any call; this is the memory that may be faster.
 *
 * Lifetime: a Memory must outlive the calls and the Registration that use it. Threads: a Memory is
 * a value; a Registration belongs to the thread of its communicator.
 */
#pragma once
#include <memory>
#include <span>
#include <string>

#include "weft/group.hpp"

namespace weft {
inline namespace v0 {
namespace detail {

struct FreeMemory {
  void operator()(void* memory) const noexcept { weft_mem_free(memory); }
};
struct RegistrationEnd {
  void operator()(weft_memory_t registration) const noexcept {
    weft_mem_deregister(member->handle, registration);
  }
  Member member;
};

}  // namespace detail

/** Memory that ranks of the node can map. */
class [[nodiscard]] Memory {
 public:
  /** None: bytes() is empty. */
  Memory() = default;
  /** `bytes` bytes, zeroed, page-aligned. */
  static Memory allocate(std::size_t bytes) {
    void* memory = nullptr;
    detail::check(weft_mem_alloc(&memory, bytes));
    return {memory, bytes};
  }
  /** Maps `bytes` bytes of a shared file (memfd, dma-buf, file in tmpfs) from `offset`, a multiple
   * of the page size. The descriptor is duplicated and stays the caller's. */
  static Memory adopt(int descriptor, std::size_t offset, std::size_t bytes) {
    void* memory = nullptr;
    detail::check(weft_mem_adopt(&memory, descriptor, offset, bytes));
    return {memory, bytes};
  }

  /** All of it, for as long as it is owned; empty if there is none. */
  std::span<std::byte> bytes() const noexcept {
    return {static_cast<std::byte*>(memory_.get()), memory_ ? bytes_ : 0};
  }
  /** As many T as fit. */
  template <class T>
  requires std::is_trivially_copyable_v<T> std::span<T> as()
  const noexcept { return {static_cast<T*>(memory_.get()), bytes().size() / sizeof(T)}; }

 private:
  Memory(void* memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {}
  std::unique_ptr<void, detail::FreeMemory> memory_;
  std::size_t bytes_ = 0;
};

/** Tells transports of a buffer that is used often, as long as it lives. From
 * Communicator::register_memory; ends before the memory does. */
class [[nodiscard]] Registration {
 public:
  /** Of nothing. */
  Registration() = default;
  /** Whether it holds a registration; false once moved from. */
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  friend class Communicator;
  Registration(weft_memory_t handle, detail::Member member)
      : handle_(handle, {std::move(member)}) {}
  std::unique_ptr<weft_memory, detail::RegistrationEnd> handle_;
};

}  // namespace v0
}  // namespace weft
