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
  return Segment{std::move(file), std::move(pages)};
}

Result<Mapping> map_segment(int file, std::size_t bytes) {
  struct stat status;
  if (::fstat(file, &status) != 0) return fail_errno(errno, "looking at a peer's segment");
  const int seals = ::fcntl(file, F_GET_SEALS);
  const int fixed = F_SEAL_SHRINK | F_SEAL_GROW;
  if (bytes == 0 || static_cast<u64>(status.st_size) != bytes || seals < 0 ||
      (seals & fixed) != fixed)
    return fail(Code::remote_error, "the file sent is not a sealed segment of {} bytes", bytes);
  return Mapping::of_file(file, bytes);
}

}  // namespace weft::shm
