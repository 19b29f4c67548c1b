// What the programs that time a start-up have in common: clock, memory, and one line of JSON a
// rank.
//
// perf/startup reads the lines. Threads: one.
#pragma once
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>

namespace weft::perf {

class Stopwatch {
 public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

// Memory that is there because of this process: anonymous pages, and its part of those it shares
// with other processes. Files that are mapped cost memory once on a machine, and are left out.
inline long held_kib() {
  std::ifstream file("/proc/self/smaps_rollup");
  long sum = 0;
  for (std::string word; file >> word;)
    if (word == "Pss_Anon:" || word == "Pss_Shmem:") {
      long kib = 0;
      file >> kib;
      sum += kib;
    }
  return sum;
}

class StartupReport {
 public:
  void add(const char* name, double value) {
    line_ += (line_.empty() ? "{\"" : ", \"") + std::string(name) + "\": " + std::to_string(value);
  }
  // In one write, so that lines of several ranks do not mix.
  void print() const {
    const std::string whole = line_ + "}\n";
    (void)!::write(STDOUT_FILENO, whole.data(), whole.size());
  }

 private:
  std::string line_;
};

}  // namespace weft::perf
