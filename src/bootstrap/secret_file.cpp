#include "bootstrap/secret_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/config.hpp"
#include "base/handle.hpp"

namespace weft::bootstrap {

Result<std::string> read_secret_file(const std::string& path) {
  constexpr std::size_t most_bytes = 4096;
  const std::string what = fmt::format("{}={}", config::secret_file.name, path);
  // The file that was looked at is the file that is read.
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0) return fail_errno(errno, what);
  if (!S_ISREG(facts.st_mode)) return fail(Code::invalid_argument, "{} is no regular file", what);
  if (facts.st_mode & (S_IRWXO | S_IWGRP))
    return fail(
        Code::invalid_argument,
        "{} has mode {:04o}: others must not read it, nor its group change it; chmod 600 it", what,
        facts.st_mode & 07777);
  if (facts.st_uid != ::geteuid() && facts.st_uid != 0)
    return fail(Code::invalid_argument, "{} belongs to user {}, and this is user {}", what,
                facts.st_uid, ::geteuid());
  std::string text(most_bytes + 1, '\0');
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  if (got < 0) return fail_errno(errno, what);
  text.resize(std::size_t(got));
  if (text.size() > most_bytes)
    return fail(Code::invalid_argument, "{} is longer than {} bytes", what, most_bytes);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (text.empty()) return fail(Code::invalid_argument, "{} is empty", what);
  return text;
}

}  // namespace weft::bootstrap
