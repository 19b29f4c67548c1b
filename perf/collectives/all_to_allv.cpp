#include "perf/collective.hpp"
#include "perf/ramp.hpp"

namespace weft::perf {

namespace {

// What goes to a rank lies where what comes from it does: other, elements, byte.
template <class Function>
void for_each_pair(const RankData& data, Function&& function) {
  const auto& blocks = ramp::blocks(data.layout.parameter, data.key.ranks, data.rank);
  for (int other = 0; other < data.key.ranks; ++other)
    function(other, blocks.counts[other], blocks.places[other] * element_bytes(data.key.type));
}

}  // namespace

const Collective all_to_allv = {
    .name = "AlltoAllV",
    .program = "alltoallv_perf",
    .kind = weft_collective_all_to_all,
    .moves = true,
    .reduces = false,
    .rooted = false,
    .same_on_ranks = false,
    .uneven = true,
    .layout =
        [](std::size_t count, std::size_t element_bytes, std::size_t ranks) {
          const std::size_t unit = ramp::unit_of(count, element_bytes, ranks);
          return Layout{.send = unit * ramp::total(ranks),
                        .receive = unit * ramp::total(ranks),
                        .parameter = unit,
                        .send_in_place = 0,
                        .receive_in_place = 0,
                        .ramp = true};
        },
    .bandwidth = ramp::bandwidth,
    .fill =
        [](const RankData& data, std::byte* send) {
          for_each_pair(data, [&](int to, std::size_t count, std::size_t at) {
            fill_stream(data.key, data.rank * data.key.ranks + to, count, send + at);
          });
        },
    .wrong =
        [](const RankData& data, const std::byte* received) {
          std::size_t wrong = 0;
          for_each_pair(data, [&](int from, std::size_t count, std::size_t at) {
            wrong +=
                wrong_in_stream(data.key, from * data.key.ranks + data.rank, count, received + at);
          });
          return wrong;
        },
    .call =
        [](const Call& call) {
          const auto& blocks = ramp::blocks(call.count, call.ranks, call.rank);
          return weft_all_to_allv(call.send, blocks.counts.data(), nullptr, call.receive,
                                  blocks.counts.data(), nullptr, call.type, call.comm, nullptr);
        },
};

}  // namespace weft::perf
