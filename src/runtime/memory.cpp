#include "runtime/memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <mutex>

namespace weft::runtime {
namespace {

struct Table {
  std::mutex mutex;
  std::map<void*, u64> bytes;  // mapped, by address
};

// Never destroyed: programs free memory in destructors of their own statics.
Table& table() {
  static Table* const only = new Table;
  return *only;
}

u64 page_bytes() { return u64(::sysconf(_SC_PAGESIZE)); }

Result<void*> keep(int file, u64 offset, u64 bytes) {
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, off_t(offset));
  if (at == MAP_FAILED)
    return fail_errno(errno, fmt::format("mapping {} bytes of shared memory", bytes));
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  all.bytes.emplace(at, bytes);
  return at;
}

}  // namespace

Result<void*> allocate_shared(u64 bytes) {
  const u64 page = page_bytes();
  if (bytes == 0 || bytes > u64{1} << 56)
    return fail(Code::invalid_argument, "{} bytes cannot be allocated", bytes);
  const u64 whole = (bytes + page - 1) / page * page;
  Fd file(::memfd_create("weft", MFD_CLOEXEC));
  if (!file) return fail_errno(errno, "making shared memory");
  // Reserved now, so that memory that is not there is an error here and no SIGBUS later.
  if (const int error = ::posix_fallocate(file.get(), 0, off_t(whole)))
    return fail_errno(error, fmt::format("reserving {} bytes of shared memory", bytes));
  return keep(file.get(), 0, whole);
}

Result<void*> adopt_shared(int fd, u64 offset, u64 length) {
  const u64 page = page_bytes();
  if (length == 0 || offset % page != 0)
    return fail(Code::invalid_argument,
                "adopting {} bytes at offset {}: the length is above 0, the offset a multiple of "
                "the page size {}",
                length, offset, page);
  struct stat known {};
  if (::fstat(fd, &known) != 0)
    return fail_errno(errno, fmt::format("adopting file descriptor {}", fd));
  // Devices such as dma-bufs have no size.
  if (S_ISREG(known.st_mode) &&
      (offset > u64(known.st_size) || length > u64(known.st_size) - offset))
    return fail(Code::invalid_argument,
                "adopting {} bytes at offset {} of file descriptor {}, which ends at {}", length,
                offset, fd, known.st_size);
  return keep(fd, offset, length);
}

Status free_shared(void* memory) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.bytes.find(memory);
  if (found == all.bytes.end())
    return fail(Code::invalid_argument,
                "{} is not what weft_mem_alloc or weft_mem_adopt returned, or was freed already",
                memory);
  ::munmap(memory, found->second);
  all.bytes.erase(found);
  return {};
}

}  // namespace weft::runtime
