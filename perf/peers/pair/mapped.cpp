#include "perf/peers/pair/mapped.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace weft::perf::pair {
namespace {

namespace fs = std::filesystem;

// The descriptor of this process under which a file is open; -1: none.
int descriptor_of(std::uint64_t inode) {
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd")) {
    struct stat found {};
    const int file = std::stoi(entry.path().filename().string());
    if (fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_ino == inode) return file;
  }
  return -1;
}

}  // namespace

Origin origin_of(const void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {  // "first-end rwxs offset device inode name"
    std::istringstream words(line);
    std::uintptr_t first = 0, end = 0;
    char dash = 0;
    std::uint64_t offset = 0, inode = 0;
    std::string access, device;
    words >> std::hex >> first >> dash >> end >> access >> offset >> device >> std::dec >> inode;
    if (!words || address < first || address >= end) continue;
    const bool is_shared = access.back() == 's';
    return {.process = getpid(),
            .file = is_shared ? descriptor_of(inode) : -1,
            .inode = inode,
            .offset = offset + (address - first)};
  }
  return {};
}

Mapped::Mapped(const Origin& origin, std::size_t bytes) {
  const std::string path = fmt::format("/proc/{}/fd/{}", origin.process, origin.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0)
    throw std::runtime_error(fmt::format("{}: {}: is it a process of this user on this host?", path,
                                         std::strerror(errno)));
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  skipped_ = origin.offset % page;
  struct stat found {};
  const bool is_same = fstat(file, &found) == 0 && found.st_ino == origin.inode;
  void* memory = MAP_FAILED;
  if (is_same)
    memory = mmap(nullptr, bytes + skipped_, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                  static_cast<off_t>(origin.offset - skipped_));
  close(file);
  if (memory == MAP_FAILED)
    throw std::runtime_error(fmt::format("{} is not the file meant, or cannot be mapped", path));
  whole_ = {static_cast<std::byte*>(memory), bytes + skipped_};
}

Mapped::Mapped(Mapped&& other) noexcept
    : whole_(std::exchange(other.whole_, {})), skipped_(other.skipped_) {}

Mapped& Mapped::operator=(Mapped&& other) noexcept {
  std::swap(whole_, other.whole_);
  std::swap(skipped_, other.skipped_);
  return *this;
}

Mapped::~Mapped() {
  if (!whole_.empty()) munmap(whole_.data(), whole_.size());
}

}  // namespace weft::perf::pair
