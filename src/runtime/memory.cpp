#include "runtime/memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // Linux 5.14, glibc 2.35
#endif

namespace weft::runtime {
namespace {

struct Piece {
  Fd file;
  Mapping pages;
  SharedPiece shared;
};

struct Table {
  std::mutex mutex;
  std::map<const std::byte*, Piece> pieces;  // by address
  std::atomic<u64> version{0};               // also the name of the next piece
};

// Never destroyed: programs free memory in destructors of their own statics.
Table& table() {
  static Table* const only = new Table;
  return *only;
}

u64 page_bytes() { return u64(::sysconf(_SC_PAGESIZE)); }

void* keep(Fd file, Mapping pages, u64 offset, u64 file_bytes) {
  std::byte* const memory = pages.bytes().data();
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const SharedPiece shared{.name = ++all.version,
                           .memory = memory,
                           .bytes = pages.bytes().size(),
                           .offset = offset,
                           .file = file.get(),
                           .file_bytes = file_bytes};
  all.pieces.insert_or_assign(memory, Piece{std::move(file), std::move(pages), shared});
  return memory;
}

}  // namespace

Result<void*> allocate_shared(u64 bytes) {
  const u64 page = page_bytes();
  if (bytes == 0 || bytes > u64{1} << 56)
    return fail(Code::invalid_argument, "{} bytes cannot be allocated", bytes);
  const u64 whole = (bytes + page - 1) / page * page;
  Fd file(::memfd_create("weft", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) return fail_errno(errno, "making shared memory");
  if (::ftruncate(file.get(), off_t(whole)) != 0)
    return fail_errno(errno, fmt::format("sizing shared memory to {} bytes", whole));
  WEFT_ASSIGN(Mapping pages, Mapping::of_file(file.get(), whole));
  pages.prefer_huge_pages();
  // Reserved now, so that memory that is not there is an error here and no SIGBUS later. Through
  // the mapping, which may have huge pages; kernels before 5.14 reserve through the file.
  if (::madvise(pages.bytes().data(), whole, MADV_POPULATE_WRITE) != 0)
    if (const int error = ::posix_fallocate(file.get(), 0, off_t(whole)))
      return fail_errno(error, fmt::format("reserving {} bytes of shared memory", bytes));
  // Peers map it: its size is fixed, so that no address inside goes bad.
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return fail_errno(errno, "sealing the size of shared memory");
  return keep(std::move(file), std::move(pages), 0, whole);
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
  Fd own(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!own) return fail_errno(errno, fmt::format("duplicating file descriptor {}", fd));
  WEFT_ASSIGN(Mapping pages, Mapping::of_file(own.get(), length, offset));
  return keep(std::move(own), std::move(pages), offset, u64(known.st_size));
}

Status free_shared(void* memory) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.pieces.find(static_cast<const std::byte*>(memory));
  if (found == all.pieces.end())
    return fail(Code::invalid_argument,
                "{} is not what weft_mem_alloc or weft_mem_adopt returned, or was freed already",
                memory);
  ++all.version;  // before another piece may lie there
  all.pieces.erase(found);
  return {};
}

u64 shared_version() { return table().version.load(std::memory_order_acquire); }

std::vector<SharedPiece> shared_pieces() {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  std::vector<SharedPiece> pieces;
  for (const auto& [memory, piece] : all.pieces) pieces.push_back(piece.shared);
  return pieces;
}

}  // namespace weft::runtime
