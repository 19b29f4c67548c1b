#include "perf/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

namespace weft::perf {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t gib = std::size_t{1} << 30;

std::optional<std::size_t> number_in(const fs::path& file) {
  std::size_t number = 0;
  if (std::ifstream in(file); in >> number) return number;
  return std::nullopt;  // no file, or "max"
}

// "name 123" or "name: 123 kB" in a file of such lines.
std::size_t field_of(const fs::path& file, const std::string& name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word;
    std::size_t number = 0;
    if (words >> word >> number && word == name) return number;
  }
  return 0;
}

// Free bytes of one control group; its cache of files is given back under pressure.
std::size_t free_in_group(const fs::path& group, const char* limit_file, const char* use_file,
                          const char* cache_field) {
  const auto limit = number_in(group / limit_file);
  const auto use = number_in(group / use_file);
  if (!limit || !use) return std::numeric_limits<std::size_t>::max();
  const std::size_t cache = field_of(group / "memory.stat", cache_field);
  const std::size_t held = *use - std::min(*use, cache);
  return *limit - std::min(*limit, held);
}

std::size_t free_in_groups(const fs::path& root, const std::string& path, bool second_version) {
  const auto free_of = [second_version](const fs::path& group) {
    return second_version ? free_in_group(group, "memory.max", "memory.current", "inactive_file")
                          : free_in_group(group, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                          "total_inactive_file");
  };
  // In a container the path may be the host's: groups that are not there limit nothing.
  std::size_t least = free_of(root);
  fs::path group = root;
  for (const fs::path& part : fs::path(path).relative_path()) {
    group /= part;
    least = std::min(least, free_of(group));
  }
  return least;
}

}  // namespace

std::size_t available_memory(const fs::path& proc, const fs::path& cgroup) {
  std::size_t least = field_of(proc / "meminfo", "MemAvailable:") * 1024;
  std::ifstream groups(proc / "self" / "cgroup");
  for (std::string line; std::getline(groups, line);) {  // "0::/path" or "5:memory:/path"
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, free_in_groups(cgroup, path, true));
    if (controllers == "memory")
      least = std::min(least, free_in_groups(cgroup / "memory", path, false));
  }
  return least;
}

std::size_t largest_message(std::size_t available, std::size_t ranks) {
  const std::size_t sixteenths = (available + 16 * gib - 1) / (16 * gib);
  const std::size_t reserve =
      std::min(std::min(sixteenths, std::size_t{4}) * gib + gib, available / 4);
  return (available - reserve) / (2 * std::max<std::size_t>(ranks, 1));
}

std::size_t resident_memory() {
  std::size_t pages = 0, resident = 0;
  std::ifstream statm("/proc/self/statm");
  statm >> pages >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace weft::perf
