#include "base/handle.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cerrno>

namespace weft {

namespace {

// A bit for each descriptor that children do not keep; larger numbers are theirs after all.
constexpr int most_watched = 1 << 16;
std::array<std::atomic<u64>, most_watched / 64> unshared{};

u64 bit_of(int fd) { return u64{1} << fd % 64; }

void forget(int fd) {
  if (fd >= 0 && fd < most_watched &&
      (unshared[fd / 64].load(std::memory_order_relaxed) & bit_of(fd)))
    unshared[fd / 64].fetch_and(~bit_of(fd), std::memory_order_relaxed);
}

}  // namespace

Fd::~Fd() {
  forget(fd_);
  if (fd_ >= 0) ::close(fd_);
}

int Fd::release() {
  forget(fd_);
  return std::exchange(fd_, -1);
}

Fd&& Fd::keep_from_children() && {
  if (fd_ >= 0 && fd_ < most_watched)
    unshared[fd_ / 64].fetch_or(bit_of(fd_), std::memory_order_relaxed);
  return std::move(*this);
}

void Fd::close_unshared() {
  for (int word = 0; word < most_watched / 64; ++word)
    for (u64 bits = unshared[word].exchange(0, std::memory_order_relaxed); bits; bits &= bits - 1)
      ::close(word * 64 + std::countr_zero(bits));
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
