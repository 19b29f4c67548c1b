#include "perf/collective.hpp"

namespace weft::perf {

const Collective scatter = {
    .name = "Scatter",
    .program = "scatter_perf",
    .kind = weft_collective_scatter,
    .moves = true,
    .reduces = false,
    .rooted = true,
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
    // The block of each rank is a stream of its own.
    .fill =
        [](const RankData& data, std::byte* send) {
          const std::size_t block = data.layout.receive;
          for (int rank = 0; rank < data.key.ranks && data.rank == data.root; ++rank)
            fill_stream(data.key, rank, block, send + rank * block * element_bytes(data.key.type));
        },
    .wrong =
        [](const RankData& data, const std::byte* received) {
          return wrong_in_stream(data.key, data.rank, data.layout.receive, received);
        },
    .call =
        [](const Call& call) {
          return weft_scatter(call.send, call.receive, call.count, call.type, call.root, call.comm,
                              nullptr);
        },
};

}  // namespace weft::perf
