#include "bootstrap/ranks_text.hpp"

#include <fmt/format.h>

namespace weft::bootstrap {

std::string ranks_text(const std::vector<u32>& ranks) {
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (end - i > 2) {
      runs.push_back(fmt::format("{}-{}", ranks[i], ranks[end - 1]));
      i = end;
    } else {
      runs.push_back(fmt::format("{}", ranks[i++]));
    }
  }
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(runs, ", "));
}

std::string seconds_text(Duration duration) {
  return fmt::format("{:.3g} s", std::chrono::duration<double>(duration).count());
}

int poll_milliseconds(Duration duration) {
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(duration).count());
}

}  // namespace weft::bootstrap
