// Owned file descriptors and mappings: rule of zero for everything above.
//
// One owner, moved and never copied; closing is the destructor's work. Threads: as any value.
#pragma once
#include <span>
#include <utility>

#include "base/result.hpp"
#include "base/types.hpp"

namespace weft {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd();
  int get() const { return fd_; }
  int release();
  explicit operator bool() const { return fd_ >= 0; }

  // A child of fork() closes it at once: it would otherwise keep a connection open after its parent
  // has died, and peers would not notice.
  Fd&& keep_from_children() &&;
  // In the child, before fork() returns; safe where a signal handler is.
  static void close_unshared();

 private:
  int fd_ = -1;
};

// Pages of memory, anonymous or of a file (a memfd), unmapped by the destructor. What is larger
// than a huge page begins on one, where the system lets it.
class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping();
  static Result<Mapping> anonymous(std::size_t bytes);
  // Shared, read and write.
  static Result<Mapping> of_file(int fd, std::size_t bytes, std::size_t offset = 0);
  // Asks for huge pages where there are none yet; the system may have none to give.
  void prefer_huge_pages();
  std::span<std::byte> bytes() const { return bytes_; }
  explicit operator bool() const { return !bytes_.empty(); }

 private:
  explicit Mapping(std::span<std::byte> bytes) : bytes_(bytes) {}
  std::span<std::byte> bytes_;
};

}  // namespace weft
