// What a peer's functions throw, kept as text: across the table of peer.hpp nothing is thrown.
//
// Threads: one.
#pragma once
#include <exception>
#include <string>

namespace weft::perf {

class Guard {
 public:
  // false, and the text kept, if the action throws.
  template <class Action>
  bool run(const Action& action) {
    try {
      action();
      return true;
    } catch (const std::exception& error) {
      text_ = error.what();
      return false;
    }
  }
  const char* error() const { return text_.c_str(); }

 private:
  std::string text_;
};

}  // namespace weft::perf
