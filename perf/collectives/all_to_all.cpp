#include "perf/collective.hpp"

namespace weft::perf {

namespace {

// The block from one rank to another is a stream of its own.
int stream_of(const DataKey& key, int from, int to) { return from * key.ranks + to; }

}  // namespace

const Collective all_to_all = {
    .name = "AlltoAll",
    .program = "alltoall_perf",
    .kind = weft_collective_all_to_all,
    .moves = true,
    .reduces = false,
    .rooted = false,
    .same_on_ranks = false,
    .layout =
        [](std::size_t count, std::size_t element_bytes, std::size_t ranks) {
          const std::size_t block = block_elements(count, element_bytes, ranks);
          return Layout{.send = block * ranks,
                        .receive = block * ranks,
                        .parameter = block,
                        .send_in_place = 0,
                        .receive_in_place = 0};
        },
    .bandwidth =
        [](std::size_t parameter, std::size_t element_bytes, double seconds, int ranks) {
          return bandwidth_of(parameter * ranks, element_bytes, seconds, (ranks - 1.0) / ranks);
        },
    .fill =
        [](const RankData& data, std::byte* send) {
          const std::size_t block = data.layout.parameter;
          for (int to = 0; to < data.key.ranks; ++to)
            fill_stream(data.key, stream_of(data.key, data.rank, to), block,
                        send + to * block * element_bytes(data.key.type));
        },
    .wrong =
        [](const RankData& data, const std::byte* received) {
          const std::size_t block = data.layout.parameter;
          std::size_t wrong = 0;
          for (int from = 0; from < data.key.ranks; ++from)
            wrong += wrong_in_stream(data.key, stream_of(data.key, from, data.rank), block,
                                     received + from * block * element_bytes(data.key.type));
          return wrong;
        },
    .call =
        [](const Call& call) {
          return weft_all_to_all(call.send, call.receive, call.count, call.type, call.comm,
                                 nullptr);
        },
};

}  // namespace weft::perf
