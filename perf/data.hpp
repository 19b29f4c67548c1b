// Inputs of a collective and the check of its results, from a counter-based hash: nothing is
// stored, so any rank can say what any element must be, without a buffer of expected values.
//
// Reductions. Element i of rank r is sign_i * 2^-scale_i * (base_i + spread[(r + turn_i) mod p]):
// small integers, scaled by an element's power of two, so a sum of any ranks in any order is exact
// and every legal schedule gives the same bits, compared with ==. Over all ranks the rotation drops
// out, so sum, min and max are known in O(1) a element however many ranks there are. A rank left
// out or counted twice changes the sum since no input is 0; an element in the wrong place, since
// base, sign and scale differ from one to the next.
//
// Movement. Element i of a stream is raw bits of the hash, compared as bits.
//
// Order. For a digest that shows the order of sums, floats with random mantissas and exponents.
//
// Buffers may have any alignment. Threads: pure functions on the caller's buffers.
#pragma once
#include <cstddef>
#include <cstdint>

#include "perf/elements.hpp"

namespace weft::perf {

enum class Inputs { exact, order };

struct DataKey {
  weft_datatype_t type = weft_float32;
  weft_op_t op = weft_sum;
  int ranks = 1;
  std::uint64_t seed = 0;
  Inputs inputs = Inputs::exact;
};

// Elements [first, first + count) of rank's input to a reduction.
void fill_contribution(const DataKey& key, int rank, std::size_t first, std::size_t count,
                       std::byte* to);

// How many of the elements differ from the reduction over all ranks. Requires exact inputs.
std::size_t wrong_reductions(const DataKey& key, std::size_t first, std::size_t count,
                             const std::byte* results);

// Elements [0, count) of a stream that is only moved; ranks have different streams.
void fill_stream(const DataKey& key, int stream, std::size_t count, std::byte* to);
std::size_t wrong_in_stream(const DataKey& key, int stream, std::size_t count,
                            const std::byte* results);

}  // namespace weft::perf
