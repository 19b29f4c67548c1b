#include "perf/collective.hpp"

namespace weft::perf {

const Collective reduce_scatter = {
    .name = "ReduceScatter",
    .program = "reduce_scatter_perf",
    .kind = weft_collective_reduce_scatter,
    .moves = true,
    .reduces = true,
    .rooted = false,
    .same_on_ranks = false,
    .layout =
        [](std::size_t count, std::size_t element_bytes, std::size_t ranks) {
          const std::size_t block = block_elements(count, element_bytes, ranks);
          return Layout{.send = block * ranks,
                        .receive = block,
                        .parameter = block,
                        .send_in_place = 0,
                        .receive_in_place = block};
        },
    .bandwidth =
        [](std::size_t parameter, std::size_t element_bytes, double seconds, int ranks) {
          return bandwidth_of(parameter * ranks, element_bytes, seconds, (ranks - 1.0) / ranks);
        },
    .fill =
        [](const RankData& data, std::byte* send) {
          fill_contribution(data.key, data.rank, 0, data.layout.send, send);
        },
    .wrong =
        [](const RankData& data, const std::byte* received) {
          const std::size_t block = data.layout.receive;
          return wrong_reductions(data.key, data.rank * block, block, received);
        },
    .call =
        [](const Call& call) {
          return weft_reduce_scatter(call.send, call.receive, call.count, call.type, call.op,
                                     call.comm, nullptr);
        },
};

}  // namespace weft::perf
