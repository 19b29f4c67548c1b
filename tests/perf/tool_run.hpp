// A whole run of a tool in this process, and what it said.
//
// Threads: one at a time, since it captures the process's output.
#pragma once
#include <string>
#include <vector>

#include "perf/collective.hpp"

namespace weft::perf {

struct Outcome {
  int exit = -1;
  std::string out, err;
  std::vector<std::vector<std::string>> rows;           // words of the lines that are no comments
  std::string comment(const std::string& start) const;  // the first line that starts so, or ""
};

Outcome run(const Collective& collective, std::vector<std::string> words);

}  // namespace weft::perf
