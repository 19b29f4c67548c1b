#include "cli/nearest.hpp"

#include <algorithm>
#include <vector>

namespace weft::cli {

// Row by row over the table of distances between prefixes.
u32 edit_distance(std::string_view a, std::string_view b) {
  std::vector<u32> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (u32 j = 0; j <= b.size(); ++j) row[j] = j;
  for (u32 i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (u32 j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string nearest(std::string_view word, std::span<const std::string> names) {
  u32 least = u32(word.size()) / 3 + 1;
  std::string best;
  for (const std::string& name : names)
    if (const u32 distance = edit_distance(word, name); distance <= least)
      if (best.empty() || distance < least) least = distance, best = name;
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  const std::string name = nearest(word, names);
  return name.empty() ? "" : "; did you mean " + name + "?";
}

}  // namespace weft::cli
