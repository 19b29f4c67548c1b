#include "perf/collective.hpp"

namespace weft::perf {

// It moves nothing, so there is one size, 0, no bandwidth, and nothing to check.
const Collective barrier = {
    .name = "Barrier",
    .program = "barrier_perf",
    .kind = weft_collective_barrier,
    .moves = false,
    .reduces = false,
    .rooted = false,
    .same_on_ranks = true,
    .layout = [](std::size_t, std::size_t, std::size_t) { return Layout{}; },
    .bandwidth = [](std::size_t, std::size_t, double, int) { return Bandwidth{}; },
    .fill = [](const RankData&, std::byte*) {},
    .wrong = [](const RankData&, const std::byte*) { return std::size_t{0}; },
    .call = [](const Call& call) { return weft_barrier(call.comm, nullptr); },
};

}  // namespace weft::perf
