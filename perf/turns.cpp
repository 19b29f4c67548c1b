#include "perf/turns.hpp"

namespace weft::perf {

Result<Points> take_turns(const Turns& turns) {
  Points points(turns.contenders);
  auto before = turns.distance();
  if (!before) return tl::unexpected(std::move(before).error());
  for (std::size_t round = 0; round < turns.most_rounds; ++round) {
    for (std::size_t i = 0; i < turns.contenders; ++i) {
      const std::size_t contender = round % 2 ? turns.contenders - 1 - i : i;
      const auto seconds = turns.run(contender);
      if (!seconds) return tl::unexpected(seconds.error());
      auto after = turns.distance();
      if (!after) return tl::unexpected(std::move(after).error());
      points.add(contender, *seconds, *before, *after);
      before = std::move(after);
    }
    if (round + 1 >= turns.rounds && points.enough(turns.rounds)) break;
  }
  return points;
}

}  // namespace weft::perf
