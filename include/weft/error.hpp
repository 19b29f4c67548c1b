/**
 * @file error.hpp
 * @brief How Weft's C++ API tells of failures: exceptions that carry the code and the text.
 *
 * One style throughout: what cannot do its work throws weft::Error, destructors never throw. A
 * failed collective is rare, poisons its communicator and cannot be repaired where it was called,
 * so the place that deals with it lies far above the call, which is what exceptions are for; a
 * second, silent set of functions would only double the interface. Whoever wants codes has the C
 * API underneath, on the handles that native_handle() gives.
 *
 * Lifetime, threads: values.
 */
#pragma once
#include <stdexcept>
#include <string>

#include "weft/weft.h"

namespace weft {
inline namespace v0 {

/** What a call came to. */
enum class Code : int {
  ok = weft_ok,                              ///< done
  invalid_argument = weft_invalid_argument,  ///< the caller's mistake; nothing was started
  system_error = weft_system_error,          ///< the operating system refused
  remote_error = weft_remote_error,          ///< a peer died or broke the protocol
  timed_out = weft_timed_out,                ///< a deadline passed
  mismatch = weft_mismatch,                  ///< ranks called different things
  aborted = weft_aborted,                    ///< an earlier error, or abort(), on any rank
  unsupported = weft_unsupported,            ///< not in this build, or not on this machine
  in_progress = weft_in_progress             ///< no error: not finished yet
};

/** "timed out" and the like; a constant. */
inline const char* name_of(Code code) noexcept {
  return weft_result_name(static_cast<weft_result_t>(code));
}

/**
 * Every failure of this API. what() says what was tried, on which rank, with whom, and what to do.
 *
 * code() == Code::invalid_argument: nothing was started and the communicator is as before. Any
 * other code from a collective has poisoned its communicator: destroy it.
 */
class Error : public std::runtime_error {
 public:
  /** `text` is what what() gives; code not ok. */
  Error(Code code, const std::string& text) : std::runtime_error(text), code_(code) {}
  /** What kind of failure it is; never Code::ok. */
  Code code() const noexcept { return code_; }

 private:
  Code code_;
};

namespace detail {

/** Throws the calling thread's last failure, unless `result` is weft_ok. */
inline void check(weft_result_t result) {
  if (result == weft_ok) return;
  const char* const text = weft_last_error();
  throw Error(Code(int(result)), *text ? text : weft_result_name(result));
}

}  // namespace detail
}  // namespace v0
}  // namespace weft
