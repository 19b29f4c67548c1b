#include "perf/collective.hpp"
#include "perf/ramp.hpp"

namespace weft::perf {

const Collective scatterv = {
    .name = "ScatterV",
    .program = "scatterv_perf",
    .kind = weft_collective_scatter,
    .moves = true,
    .reduces = false,
    .rooted = true,
    .same_on_ranks = false,
    .uneven = true,
    .layout =
        [](std::size_t count, std::size_t element_bytes, std::size_t ranks) {
          const std::size_t unit = ramp::unit_of(count, element_bytes, ranks);
          return Layout{.send = unit * ramp::total(ranks),
                        .receive = unit * ranks,
                        .parameter = unit,
                        .send_in_place = 0,
                        .receive_in_place = unit,
                        .ramp = true};
        },
    .bandwidth = ramp::bandwidth,
    .fill =
        [](const RankData& data, std::byte* send) {
          if (data.rank != data.root) return;
          ramp::for_each_block(data, [&](int rank, std::size_t count, std::size_t at) {
            fill_stream(data.key, rank, count, send + at);
          });
        },
    .wrong =
        [](const RankData& data, const std::byte* received) {
          return wrong_in_stream(data.key, data.rank, data.layout.parameter * (data.rank + 1),
                                 received);
        },
    .call =
        [](const Call& call) {
          const auto& blocks = ramp::blocks(call.count, call.ranks);
          return weft_scatterv(call.send, blocks.counts.data(), nullptr, call.receive,
                               blocks.counts[call.rank], call.type, call.root, call.comm, nullptr);
        },
};

}  // namespace weft::perf
