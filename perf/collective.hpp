// What a benchmark must know of its collective; collectives/ has one small file for each.
//
// The tools differ in this table only: sizes and places of the blocks, the bandwidth formula,
// inputs and checks, and the call. Lifetime: constants. Threads: any.
#pragma once
#include <weft/weft.h>

#include <cstddef>

#include "perf/data.hpp"

namespace weft::perf {

// In elements, of the rank that has most. In place, rank r's input starts send_in_place * r into
// the receive buffer, and its result receive_in_place * r; of blocks that grow (ramp.hpp) not r of
// them are before rank r's, but r (r + 1) / 2 units.
struct Layout {
  std::size_t send = 0, receive = 0;
  std::size_t parameter = 0;  // the count of the call, and of the table; of ramps, the unit
  std::size_t send_in_place = 0, receive_in_place = 0;
  bool ramp = false;

  std::size_t before(std::size_t rank) const { return ramp ? rank * (rank + 1) / 2 : rank; }
  std::size_t send_place(std::size_t rank) const { return send_in_place * before(rank); }
  // A result that lies among the blocks is one of them.
  std::size_t received_by(std::size_t rank) const {
    return ramp && receive_in_place ? parameter * (rank + 1) : receive;
  }
  std::size_t receive_place(std::size_t rank) const { return receive_in_place * before(rank); }
};

// In GB/s (10^9), as nccl-tests' doc/PERFORMANCE.md derives them: size over time, and that times a
// factor which makes it comparable to the speed of a link, whatever the number of ranks.
struct Bandwidth {
  double algorithm = 0, bus = 0;
};

struct Call {
  const void* send = nullptr;
  void* receive = nullptr;
  std::size_t count = 0;
  weft_datatype_t type = weft_float32;
  weft_op_t op = weft_sum;
  int root = 0;
  int rank = 0, ranks = 1;
  weft_comm_t comm = nullptr;
};

// One rank's part of a call whose data is checked.
struct RankData {
  DataKey key;
  int rank = 0;
  int root = 0;
  Layout layout;
};

struct Collective {
  const char* name;
  const char* program;
  weft_collective_t kind;
  bool moves;           // walks over sizes and types
  bool reduces;         // walks over -o
  bool rooted;          // walks over -r
  bool same_on_ranks;   // all ranks end with the same bytes
  bool uneven = false;  // the form of `kind` with a count a rank; its blocks are those of ramp.hpp
  Layout (*layout)(std::size_t count, std::size_t element_bytes, std::size_t ranks);
  Bandwidth (*bandwidth)(std::size_t parameter, std::size_t element_bytes, double seconds,
                         int ranks);
  void (*fill)(const RankData& data, std::byte* send);
  std::size_t (*wrong)(const RankData& data, const std::byte* received);
  weft_result_t (*call)(const Call& call);
};

// Elements of each of `ranks` equal blocks of `count` elements, cut so that every block starts on
// 16 bytes, as nccl-tests cuts them.
std::size_t block_elements(std::size_t count, std::size_t element_bytes, std::size_t ranks);

// GB/s of `elements` moved in `seconds`, and the bus bandwidth by its factor.
Bandwidth bandwidth_of(std::size_t elements, std::size_t element_bytes, double seconds,
                       double bus_factor);

extern const Collective all_reduce;
extern const Collective reduce_scatter;
extern const Collective all_gather;
extern const Collective broadcast;
extern const Collective barrier;
extern const Collective reduce;
extern const Collective gather;
extern const Collective scatter;
extern const Collective all_to_all;
extern const Collective all_gatherv;
extern const Collective gatherv;
extern const Collective scatterv;
extern const Collective reduce_scatterv;
extern const Collective all_to_allv;

}  // namespace weft::perf
