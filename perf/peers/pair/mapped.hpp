// Memory of another process of this host, mapped by the file behind it.
//
// A shared mapping is pages of a file that its process keeps open. /proc says which file, and opens
// it for any process of the same user, so nobody has to hand over a descriptor. Throws
// std::runtime_error that says what was tried. Threads: any.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::perf::pair {

// Where pages lie, in words that mean the same to every process of the host.
struct Origin {
  int process = 0;
  int file = -1;            // of that process; -1: the pages are private
  std::uint64_t inode = 0;  // of that file, so that another host's process is not taken for ours
  std::uint64_t offset = 0;
};

Origin origin_of(const void* memory);

class Mapped {
 public:
  Mapped() = default;
  Mapped(const Origin& origin, std::size_t bytes);
  Mapped(Mapped&& other) noexcept;
  Mapped& operator=(Mapped&& other) noexcept;
  ~Mapped();
  std::byte* begin() const { return whole_.empty() ? nullptr : whole_.data() + skipped_; }

 private:
  std::span<std::byte> whole_;  // from the page on which the origin lies
  std::size_t skipped_ = 0;
};

}  // namespace weft::perf::pair
