#include "tool_run.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

#include "perf/tool.hpp"

namespace weft::perf {

std::string Outcome::comment(const std::string& start) const {
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(start)) return line;
  return "";
}

Outcome run(const Collective& collective, std::vector<std::string> words) {
  words.insert(words.begin(), collective.program);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.exit = run_tool(collective, static_cast<int>(pointers.size()), pointers.data());
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::vector<std::string> row{std::istream_iterator<std::string>(in), {}};
    if (!row.empty() && row[0][0] != '#') outcome.rows.push_back(row);
  }
  return outcome;
}

}  // namespace weft::perf
