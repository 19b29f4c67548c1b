#include "perf/collective.hpp"

namespace weft::perf {

const Collective all_reduce = {
    .name = "AllReduce",
    .program = "all_reduce_perf",
    .kind = weft_collective_all_reduce,
    .moves = true,
    .reduces = true,
    .rooted = false,
    .same_on_ranks = true,
    .layout =
        [](std::size_t count, std::size_t, std::size_t) {
          return Layout{.send = count,
                        .receive = count,
                        .parameter = count,
                        .send_in_place = 0,
                        .receive_in_place = 0};
        },
    // Each of n - 1 additions and n - 1 copies of an element crosses one of n links.
    .bandwidth =
        [](std::size_t parameter, std::size_t element_bytes, double seconds, int ranks) {
          return bandwidth_of(parameter, element_bytes, seconds, 2.0 * (ranks - 1) / ranks);
        },
    .fill =
        [](const RankData& data, std::byte* send) {
          fill_contribution(data.key, data.rank, 0, data.layout.send, send);
        },
    .wrong =
        [](const RankData& data, const std::byte* received) {
          return wrong_reductions(data.key, 0, data.layout.receive, received);
        },
    .call =
        [](const Call& call) {
          return weft_all_reduce(call.send, call.receive, call.count, call.type, call.op, call.comm,
                                 nullptr);
        },
};

}  // namespace weft::perf
