#include "verify/explain.hpp"

#include <fmt/format.h>

#include "schedule/text.hpp"
#include "verify/layout.hpp"

namespace weft::verify {

std::string name_of(schedule::Buffer buffer) {
  if (buffer == schedule::input) return "input";
  if (buffer == schedule::output) return "output";
  if (buffer == schedule::nowhere) return "nowhere";
  return fmt::format("plane {}", buffer - schedule::first_plane);
}

std::string describe(const schedule::Program& program, u32 step) {
  return fmt::format("rank {} step {} (`{}`)", program.rank, step,
                     schedule::text(program.steps[step]));
}

std::string describe(const Layout& layout, u32 task) {
  return describe(layout.programs[layout.task[task].rank], layout.step_number(task));
}

std::string list_of(std::span<const u32> sorted) {
  constexpr std::size_t most_runs = 8;
  std::vector<std::string> runs;
  std::size_t i = 0;
  while (i < sorted.size() && runs.size() < most_runs) {
    std::size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1) ++end;
    runs.push_back(end - i < 3 ? fmt::format("{}", sorted[i])
                               : fmt::format("{}-{}", sorted[i], sorted[end - 1]));
    i = end - i < 3 ? i + 1 : end;
  }
  std::string text;
  for (std::size_t k = 0; k < runs.size(); ++k)
    text += (k == 0 ? "" : k + 1 == runs.size() && i == sorted.size() ? " and " : ", ") + runs[k];
  if (i < sorted.size()) text += fmt::format(" and {} more", sorted.size() - i);
  return text.empty() ? "none" : text;
}

}  // namespace weft::verify
