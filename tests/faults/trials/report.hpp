// What each rank came to, in memory that its process shares with who judges.
#pragma once
#include <atomic>
#include <cstdio>
#include <string>

#include "plan.hpp"

namespace weft::trials {

// Where a rank is, or was when it ended.
enum class Phase { none, joining, calling, leaving, done };

struct Report {
  std::atomic<Phase> phase{Phase::none};
  std::atomic<u32> call{0};  // of those under way
  int result = 0;            // the first that was not weft_ok
  int wrong = 0;             // results that were not right, also after a shrink
  double seconds = 0;        // the longest that any call took
  double leaving = 0;        // and the destruction
  char error[1500] = {};

  void fail(int code, const char* text) {
    if (result) return;
    result = code;
    std::snprintf(error, sizeof error, "%s", text);
  }
};

}  // namespace weft::trials
