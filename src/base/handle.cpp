#include "base/handle.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace weft {

Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

Mapping::~Mapping() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

static Result<std::span<std::byte>> map(int fd, std::size_t bytes, int flags) {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
  if (at == MAP_FAILED) return fail_errno(errno, fmt::format("mapping {} bytes of memory", bytes));
  return std::span(static_cast<std::byte*>(at), bytes);
}

Result<Mapping> Mapping::anonymous(std::size_t bytes) {
  WEFT_ASSIGN(auto span, map(-1, bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE));
  return Mapping(span);
}

Result<Mapping> Mapping::of_file(int fd, std::size_t bytes) {
  WEFT_ASSIGN(auto span, map(fd, bytes, MAP_SHARED | MAP_NORESERVE));
  return Mapping(span);
}

}  // namespace weft
