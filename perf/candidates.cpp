#include "perf/candidates.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>

namespace weft::perf {
namespace {

namespace fs = std::filesystem;

struct Close {
  void operator()(std::FILE* pipe) const { pclose(pipe); }
};

Result<std::string> tool() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& place : {folder / "weft", folder.parent_path() / "weft"})
    if (access(place.c_str(), X_OK) == 0 && fs::is_regular_file(place)) return place.string();
  return fail(Exit::invalid_usage,
              "--sweep-algorithms asks the tool `weft` for the algorithms, but neither {} nor the "
              "folder above has it: build the target weft_tool",
              folder.string());
}

// For sh, in single quotes.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

const char* word_of(weft_collective_t kind) {
  switch (kind) {
    case weft_collective_all_reduce: return "all_reduce";
    case weft_collective_reduce_scatter: return "reduce_scatter";
    case weft_collective_all_gather: return "all_gather";
    case weft_collective_broadcast: return "broadcast";
    case weft_collective_reduce: return "reduce";
    case weft_collective_gather: return "gather";
    case weft_collective_scatter: return "scatter";
    case weft_collective_all_to_all: return "all_to_all";
    case weft_collective_scan: return "scan";
    case weft_collective_exscan: return "exscan";
    default: return "barrier";
  }
}

std::vector<Candidate> parse_candidates(const std::string& text, weft_collective_t kind) {
  std::vector<Candidate> candidates;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string found;
    Candidate candidate;
    words >> found >> candidate.name >> candidate.order;
    if (found == word_of(kind) && !candidate.name.empty()) candidates.push_back(candidate);
  }
  return candidates;
}

Result<std::string> list_of_candidates(weft_collective_t kind, const std::string& shape) {
  const auto path = tool();
  if (!path) return path;
  const std::string command = fmt::format("{} algorithms --kind {} --nodes {}", quoted(*path),
                                          word_of(kind), quoted(shape));
  std::unique_ptr<std::FILE, Close> pipe(popen(command.c_str(), "r"));
  if (!pipe) return fail(Exit::system_error, "cannot start {}", command);
  std::string text;
  char piece[4096];
  while (const std::size_t got = std::fread(piece, 1, sizeof piece, pipe.get()))
    text.append(piece, got);
  if (pclose(pipe.release()) != 0)
    return fail(Exit::system_error, "{} failed; it said: {}", command, text);
  return text;
}

}  // namespace weft::perf
