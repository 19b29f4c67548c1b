#include "perf/collective.hpp"
#include "perf/ramp.hpp"

namespace weft::perf {

const Collective all_gatherv = {
    .name = "AllGatherV",
    .program = "allgatherv_perf",
    .kind = weft_collective_all_gather,
    .moves = true,
    .reduces = false,
    .rooted = false,
    .same_on_ranks = true,
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
    .wrong = ramp::wrong_in_all,
    .call =
        [](const Call& call) {
          const auto& blocks = ramp::blocks(call.count, call.ranks);
          return weft_all_gatherv(call.send, call.receive, blocks.counts.data(), nullptr, call.type,
                                  call.comm, nullptr);
        },
};

}  // namespace weft::perf
