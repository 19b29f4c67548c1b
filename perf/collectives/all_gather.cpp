#include "perf/collective.hpp"

namespace weft::perf {

const Collective all_gather = {
    .name = "AllGather",
    .program = "all_gather_perf",
    .kind = weft_collective_all_gather,
    .moves = true,
    .reduces = false,
    .rooted = false,
    .same_on_ranks = true,
    .layout =
        [](std::size_t count, std::size_t bytes, std::size_t ranks) {
          const std::size_t block = block_elements(count, bytes, ranks);
          return Layout{.send = block,
                        .receive = block * ranks,
                        .parameter = block,
                        .send_in_place = block,
                        .receive_in_place = 0};
        },
    .bandwidth =
        [](std::size_t parameter, std::size_t bytes, double seconds, int ranks) {
          return bandwidth_of(parameter * ranks, bytes, seconds, (ranks - 1.0) / ranks);
        },
    .fill = [](const RankData& data,
               std::byte* send) { fill_stream(data.key, data.rank, data.layout.send, send); },
    .wrong =
        [](const RankData& data, const std::byte* received) {
          const std::size_t block_bytes = data.layout.send * element_bytes(data.key.type);
          std::size_t wrong = 0;
          for (int rank = 0; rank < data.key.ranks; ++rank)
            wrong +=
                wrong_in_stream(data.key, rank, data.layout.send, received + rank * block_bytes);
          return wrong;
        },
    .call =
        [](const Call& call) {
          return weft_all_gather(call.send, call.receive, call.count, call.type, call.comm,
                                 nullptr);
        },
};

}  // namespace weft::perf
