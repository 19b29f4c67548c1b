#include "tests/ranks/huge/periodic.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace weft::testing {

std::uint8_t Periodic::byte(std::size_t i) {
  return static_cast<std::uint8_t>((i + 1) * 0x9e3779b97f4a7c15ull >> 56);
}

Periodic::Periodic(std::size_t bytes) {
  const int fd = ::memfd_create("weft-test", MFD_CLOEXEC);
  if (fd < 0) return;
  const std::size_t periods = (bytes + period - 1) / period;
  const int read_write = PROT_READ | PROT_WRITE;
  void* const room = ::mmap(nullptr, periods * period, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  bool good = room != MAP_FAILED && ::ftruncate(fd, period) == 0;
  if (room != MAP_FAILED) {
    start_ = static_cast<std::uint8_t*>(room);
    mapped_ = periods * period;
  }
  for (std::size_t i = 0; good && i < periods; ++i)
    good = ::mmap(start_ + i * period, period, read_write, MAP_SHARED | MAP_FIXED, fd, 0) !=
           MAP_FAILED;
  ::close(fd);
  if (good) {
    for (std::size_t i = 0; i < period; ++i) start_[i] = byte(i);
  } else if (start_) {
    ::munmap(start_, mapped_);
    start_ = nullptr;
  }
}

Periodic::~Periodic() {
  if (start_) ::munmap(start_, mapped_);
}

}  // namespace weft::testing
