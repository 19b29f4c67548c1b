#include "perf/digest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::perf {

std::string text_of(std::span<const DigestValue> ranks) {
  Digest all;
  all.update(ranks.data(), ranks.size_bytes());
  return fmt::format("{:016x}{:016x}", all.value().high, all.value().low);
}

int first_that_differs(std::span<const DigestValue> ranks) {
  const auto other = std::ranges::find_if_not(
      ranks, [&](const DigestValue& value) { return value == ranks.front(); });
  return other == ranks.end() ? -1 : static_cast<int>(other - ranks.begin());
}

}  // namespace weft::perf
