// What the world can do to us is a value: Result<T> and Status carry an Error, never an exception.
//
// An Error has a code, which a program branches on, and a text, which a person reads: what was
// tried, on which rank, peer and device, what it usually means, what to do next. Bugs of our own
// are no errors: they stop the program in WEFT_ASSERT, which stays on in release builds. Threads:
// values, as safe as the values in them.
#pragma once
#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace weft {

enum class Code : int {  // in the order of weft_result_t in weft.h
  ok = 0,
  invalid_argument,  // the caller's mistake: nothing was started
  system_error,      // the operating system refused: errno is in the text
  remote_error,      // a peer died, closed the connection or broke the protocol
  timed_out,         // a deadline passed; the text says who was waited for
  mismatch,          // ranks called different things; both signatures are in the text
  aborted,           // poisoned by an earlier error on this or another rank
  unsupported,       // not in this build or not on this machine
  in_progress,       // not an error: the operation has not ended yet
};

const char* name_of(Code code);

struct Error {
  Code code = Code::ok;
  std::string text;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

// fail(Code::timed_out, "rank {} waited {} s for rank {}", ...)
template <class... Args>
[[nodiscard]] tl::unexpected<Error> fail(Code code, fmt::format_string<Args...> text,
                                         Args&&... args) {
  return tl::unexpected(Error{code, fmt::format(text, std::forward<Args>(args)...)});
}
[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected(std::move(error));
}

// "connecting to 10.0.0.7:4711: Connection refused" from errno (or the given error number).
[[nodiscard]] tl::unexpected<Error> fail_errno(int error_number, const std::string& what);

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace weft

#define WEFT_ASSERT(condition) \
  ((condition) ? void(0) : ::weft::assertion_failed(#condition, __FILE__, __LINE__))

// Returns the error of a Status or Result<T> to the caller, whatever that returns.
#define WEFT_TRY(expression)                             \
  do {                                                   \
    if (auto weft_try_ = (expression); !weft_try_)       \
      return ::weft::fail(std::move(weft_try_).error()); \
  } while (false)

// WEFT_ASSIGN(auto socket, listen_on(port));
#define WEFT_ASSIGN(declaration, expression) \
  WEFT_ASSIGN_(declaration, expression, WEFT_CONCAT_(weft_result_, __LINE__))
#define WEFT_ASSIGN_(declaration, expression, name)        \
  auto name = (expression);                                \
  if (!name) return ::weft::fail(std::move(name).error()); \
  declaration = std::move(*name)
#define WEFT_CONCAT_(a, b) WEFT_CONCAT2_(a, b)
#define WEFT_CONCAT2_(a, b) a##b
