#include "perf/collective.hpp"

namespace weft::perf {

const Collective gather = {
    .name = "Gather",
    .program = "gather_perf",
    .kind = weft_collective_gather,
    .moves = true,
    .reduces = false,
    .rooted = true,
    .same_on_ranks = false,
    .layout =
        [](std::size_t count, std::size_t element_bytes, std::size_t ranks) {
          const std::size_t block = block_elements(count, element_bytes, ranks);
          return Layout{.send = block,
                        .receive = block * ranks,
                        .parameter = block,
                        .send_in_place = block,
                        .receive_in_place = 0};
        },
    .bandwidth =
        [](std::size_t parameter, std::size_t element_bytes, double seconds, int ranks) {
          return bandwidth_of(parameter * ranks, element_bytes, seconds, (ranks - 1.0) / ranks);
        },
    .fill = [](const RankData& data,
               std::byte* send) { fill_stream(data.key, data.rank, data.layout.send, send); },
    .wrong =
        [](const RankData& data, const std::byte* received) {
          const std::size_t block = data.layout.send;
          std::size_t wrong = 0;
          for (int rank = 0; rank < data.key.ranks && data.rank == data.root; ++rank)
            wrong += wrong_in_stream(data.key, rank, block,
                                     received + rank * block * element_bytes(data.key.type));
          return wrong;
        },
    .call =
        [](const Call& call) {
          return weft_gather(call.send, call.receive, call.count, call.type, call.root, call.comm,
                             nullptr);
        },
};

}  // namespace weft::perf
