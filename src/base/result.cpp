#include "base/result.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace weft {

const char* name_of(Code code) {
  switch (code) {
    case Code::ok: return "ok";
    case Code::invalid_argument: return "invalid argument";
    case Code::system_error: return "system error";
    case Code::remote_error: return "remote error";
    case Code::timed_out: return "timed out";
    case Code::mismatch: return "mismatched calls";
    case Code::aborted: return "aborted";
    case Code::unsupported: return "unsupported";
    case Code::in_progress: return "in progress";
  }
  return "unknown";
}

tl::unexpected<Error> fail_errno(int error_number, const std::string& what) {
  char buffer[128];
  return fail(Code::system_error, "{}: {}", what, strerror_r(error_number, buffer, sizeof buffer));
}

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "weft: bug: %s does not hold at %s:%d\n", condition, file, line);
  std::abort();
}

}  // namespace weft
