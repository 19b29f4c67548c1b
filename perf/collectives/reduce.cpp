#include "perf/collective.hpp"

namespace weft::perf {

const Collective reduce = {
    .name = "Reduce",
    .program = "reduce_perf",
    .kind = weft_collective_reduce,
    .moves = true,
    .reduces = true,
    .rooted = true,
    .same_on_ranks = false,
    .layout =
        [](std::size_t count, std::size_t, std::size_t) {
          return Layout{.send = count,
                        .receive = count,
                        .parameter = count,
                        .send_in_place = 0,
                        .receive_in_place = 0};
        },
    // All sums have to enter the root, whose link is the limit.
    .bandwidth = [](std::size_t parameter, std::size_t element_bytes, double seconds,
                    int) { return bandwidth_of(parameter, element_bytes, seconds, 1); },
    .fill =
        [](const RankData& data, std::byte* send) {
          fill_contribution(data.key, data.rank, 0, data.layout.send, send);
        },
    .wrong =
        [](const RankData& data, const std::byte* received) {
          if (data.rank != data.root) return std::size_t{0};
          return wrong_reductions(data.key, 0, data.layout.receive, received);
        },
    .call =
        [](const Call& call) {
          return weft_reduce(call.send, call.receive, call.count, call.type, call.op, call.root,
                             call.comm, nullptr);
        },
};

}  // namespace weft::perf
