#include "perf/collective.hpp"
#include "perf/ramp.hpp"

namespace weft::perf {

const Collective reduce_scatterv = {
    .name = "ReduceScatterV",
    .program = "reduce_scatterv_perf",
    .kind = weft_collective_reduce_scatter,
    .moves = true,
    .reduces = true,
    .rooted = false,
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
          fill_contribution(data.key, data.rank, 0, data.layout.send, send);
        },
    .wrong =
        [](const RankData& data, const std::byte* received) {
          const std::size_t unit = data.layout.parameter;
          return wrong_reductions(data.key, data.layout.before(data.rank) * unit,
                                  (data.rank + 1) * unit, received);
        },
    .call =
        [](const Call& call) {
          const auto& blocks = ramp::blocks(call.count, call.ranks);
          return weft_reduce_scatterv(call.send, call.receive, blocks.counts.data(), nullptr,
                                      call.type, call.op, call.comm, nullptr);
        },
};

}  // namespace weft::perf
