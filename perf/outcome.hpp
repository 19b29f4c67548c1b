// What a benchmark ends with: exit codes with nccl-tests' numbers, and a failure as a value.
//
// Scripts tell a wrong result (7) from a library error (3) or a timeout (4) by the exit code, so
// the numbers are part of the interface. Threads: values, as safe as the values in them.
#pragma once
#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace weft::perf {

enum class Exit : int {
  success = 0,
  system_error = 2,   // where nccl-tests has a CUDA error
  library_error = 3,  // a weft_ call failed
  timeout = 4,        // -T passed
  invalid_usage = 6,  // options that do not fit the ranks there are
  wrong_results = 7,  // wrong elements, differing digests, or less than NCCL_TESTS_MIN_BW
  bad_argument = 255  // the command line itself
};

struct Failure {
  Exit exit = Exit::success;
  std::string text;
};

template <class T>
using Result = tl::expected<T, Failure>;
using Status = Result<void>;

template <class... Args>
[[nodiscard]] tl::unexpected<Failure> fail(Exit exit, fmt::format_string<Args...> text,
                                           Args&&... args) {
  return tl::unexpected(Failure{exit, fmt::format(text, std::forward<Args>(args)...)});
}

}  // namespace weft::perf

// Returns the failure of a Status or Result<T> to the caller, whatever that returns.
#define PERF_TRY(expression)                               \
  do {                                                     \
    if (auto perf_try_ = (expression); !perf_try_)         \
      return tl::unexpected(std::move(perf_try_).error()); \
  } while (false)
