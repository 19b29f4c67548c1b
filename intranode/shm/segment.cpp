#include "intranode/shm/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace weft::shm {

Result<Segment> create_segment(std::size_t bytes) {
  if (bytes == 0) return fail(Code::invalid_argument, "a shared segment of 0 bytes");
  Fd file(::memfd_create("weft", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) return fail_errno(errno, "memfd_create (usual cause: `ulimit -n` is too small)");
  if (::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
    return fail_errno(errno, fmt::format("sizing a shared segment to {} bytes", bytes));
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return fail_errno(errno, "sealing the size of a shared segment");
  WEFT_ASSIGN(Mapping pages, Mapping::of_file(file.get(), bytes));
  return Segment{std::move(file), bytes, std::move(pages)};
}

// Is it a memfd of exactly this size, for ever?
static bool is_fixed(int file, std::size_t bytes) {
  struct stat status;
  const int seals = ::fcntl(file, F_GET_SEALS);
  const int fixed = F_SEAL_SHRINK | F_SEAL_GROW;
  return bytes > 0 && seals >= 0 && (seals & fixed) == fixed && ::fstat(file, &status) == 0 &&
         static_cast<u64>(status.st_size) == bytes;
}

Result<Segment> adopt_segment(int file, std::size_t bytes) {
  if (!is_fixed(file, bytes))
    return fail(Code::unsupported,
                "file {} is no memfd of {} bytes whose size is sealed: peers cannot map it safely",
                file, bytes);
  Fd own(::fcntl(file, F_DUPFD_CLOEXEC, 0));
  if (!own) return fail_errno(errno, "duplicating a file (usual cause: `ulimit -n` is too small)");
  return Segment{std::move(own), bytes, {}};
}

Result<Mapping> map_segment(int file, std::size_t bytes) {
  if (!is_fixed(file, bytes))
    return fail(Code::remote_error, "the file sent is not a sealed segment of {} bytes", bytes);
  return Mapping::of_file(file, bytes);
}

}  // namespace weft::shm
