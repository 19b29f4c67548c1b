// Sets an environment variable for one scope, then puts back what was there.
//
// Lifetime: a local of a test. Threads: none other may run meanwhile, as setenv demands.
#pragma once
#include <cstdlib>
#include <optional>
#include <string>

namespace weft::testing {

class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~ScopedVariable() { set(before_ ? before_->c_str() : nullptr); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  void set(const char* value) {  // nullptr: not set
    value ? ::setenv(name_, value, 1) : ::unsetenv(name_);
  }

  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace weft::testing
