// How long each phase of a communicator's creation took, for one line of the log.
//
// Threads: values.
#pragma once
#include <fmt/format.h>

#include <string>

#include "base/clock.hpp"

namespace weft::runtime {

class Phases {
 public:
  explicit Phases(TimePoint began) : began_(began), last_(began) {}
  // The phase that began where the one before ended.
  void end(const char* name) {
    const TimePoint now = Clock::now();
    text_ += fmt::format("{}{} {:.1f}", text_.empty() ? "" : ", ", name, milliseconds(now - last_));
    last_ = now;
  }
  // "12.3 ms: rendezvous 10.1, manifests 2.2"
  std::string text() const {
    return fmt::format("{:.1f} ms: {}", milliseconds(last_ - began_), text_);
  }

 private:
  static double milliseconds(Duration d) {
    return std::chrono::duration<double, std::milli>(d).count();
  }
  TimePoint began_, last_;
  std::string text_;
};

}  // namespace weft::runtime
