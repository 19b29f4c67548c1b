// Memory of one rank's messages, from page-aligned pages, shifted where -u or --offset asks.
//
// Private memory is the process's own; shared memory is the library's, which ranks of the node map.
// Past the end of a message lie guard bytes: a result that writes there is wrong, however right the
// result is. Lifetime: owns its memory. Threads: one.
#pragma once
#include <weft/weft.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace weft::perf {

class Buffer {
 public:
  // Touches every page, so that no first access falls into a measurement. False: no memory.
  bool allocate(std::size_t bytes, std::size_t most_shift, bool shared) {
    bytes_ = (bytes + most_shift + guard_bytes + page - 1) / page * page;
    void* memory = nullptr;
    if (!shared)
      memory = std::aligned_alloc(page, bytes_);
    else if (weft_mem_alloc(&memory, bytes_) != weft_ok)
      memory = nullptr;
    memory_ = Memory(static_cast<std::byte*>(memory), Free{shared});
    if (memory_) std::memset(memory_.get(), 0, bytes_);
    return memory_ != nullptr;
  }

  std::byte* memory() const { return memory_.get(); }
  std::size_t bytes() const { return bytes_; }

  void shift(std::size_t bytes) { shift_ = bytes; }
  std::byte* begin() const { return memory_.get() + shift_; }

  void guard(std::size_t from) { std::memset(begin() + from, guard_value, guard_bytes); }
  bool guard_is_whole(std::size_t from) const {
    for (std::size_t i = 0; i < guard_bytes; ++i)
      if (begin()[from + i] != std::byte{guard_value}) return false;
    return true;
  }

 private:
  static constexpr std::size_t page = 4096, guard_bytes = 64;
  static constexpr unsigned char guard_value = 0xa5;
  struct Free {
    bool shared;
    void operator()(std::byte* memory) const {
      if (shared)
        (void)weft_mem_free(memory);
      else
        std::free(memory);
    }
  };
  using Memory = std::unique_ptr<std::byte, Free>;
  Memory memory_;
  std::size_t bytes_ = 0, shift_ = 0;
};

}  // namespace weft::perf
