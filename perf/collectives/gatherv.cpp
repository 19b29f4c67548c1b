#include "perf/collective.hpp"
#include "perf/ramp.hpp"

namespace weft::perf {

const Collective gatherv = {
    .name = "GatherV",
    .program = "gatherv_perf",
    .kind = weft_collective_gather,
    .moves = true,
    .reduces = false,
    .rooted = true,
    .same_on_ranks = false,
    .uneven = true,
    .layout =
        [](std::size_t count, std::size_t element_bytes, std::size_t ranks) {
          const std::size_t unit = ramp::unit_of(count, element_bytes, ranks);
          return Layout{.send = unit * ranks,
                        .receive = unit * ramp::total(ranks),
                        .parameter = unit,
                        .send_in_place = unit,
                        .receive_in_place = 0,
                        .ramp = true};
        },
    .bandwidth = ramp::bandwidth,
    .fill = ramp::fill_own,
    .wrong =
        [](const RankData& data, const std::byte* received) {
          return data.rank == data.root ? ramp::wrong_in_all(data, received) : 0;
        },
    .call =
        [](const Call& call) {
          const auto& blocks = ramp::blocks(call.count, call.ranks);
          return weft_gatherv(call.send, blocks.counts[call.rank], call.receive,
                              blocks.counts.data(), nullptr, call.type, call.root, call.comm,
                              nullptr);
        },
};

}  // namespace weft::perf
