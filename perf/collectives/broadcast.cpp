#include "perf/collective.hpp"

namespace weft::perf {

const Collective broadcast = {
    .name = "Broadcast",
    .program = "broadcast_perf",
    .kind = weft_collective_broadcast,
    .moves = true,
    .reduces = false,
    .rooted = true,
    .same_on_ranks = true,
    .layout =
        [](std::size_t count, std::size_t, std::size_t) {
          return Layout{.send = count,
                        .receive = count,
                        .parameter = count,
                        .send_in_place = 0,
                        .receive_in_place = 0};
        },
    // All data has to leave the root, whose link is the limit.
    .bandwidth = [](std::size_t parameter, std::size_t element_bytes, double seconds,
                    int) { return bandwidth_of(parameter, element_bytes, seconds, 1); },
    .fill =
        [](const RankData& data, std::byte* send) {
          if (data.rank == data.root) fill_stream(data.key, data.root, data.layout.send, send);
        },
    .wrong =
        [](const RankData& data, const std::byte* received) {
          return wrong_in_stream(data.key, data.root, data.layout.receive, received);
        },
    .call =
        [](const Call& call) {
          return weft_broadcast(call.send, call.receive, call.count, call.type, call.root,
                                call.comm, nullptr);
        },
};

}  // namespace weft::perf
