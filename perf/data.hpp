// Inputs of a collective and the check of its results, from a counter-based hash: nothing is
// stored, so any rank can say what any element must be, without a buffer of expected values.
//
// Reductions. At element i rank r plays the part (r + turn_i) mod p, and turn_i moves on from
// element to element, so every rank plays every part. Parts have the inputs, and all parts together
// one result, known in O(1) however many ranks there are; inputs are such that every tree over
// every order of operands gives that result bit by bit, which is compared with ==. The families:
//
//   data_sums      sum, avg, mulsum and the wide forms, of integers and floats
//   data_products  prod
//   data_bits      band, bor, bxor, land, lor, lxor, and all operators of bool
//   data_extremes  max, min; minloc, maxloc with ties
//
// What is found, at one element or at the latest after all ranks had all parts: a rank left out; a
// rank counted twice, where that makes a difference; a scalar of another rank. An element at the
// wrong place or of the wrong value is found as far as the bits of a result can tell: one of land
// is one bit. Each family says how.
//
// Movement. Element i of a stream is raw bits of the hash, compared as bits.
//
// Order. For a digest that shows the order of sums, floats with random mantissas and exponents.
//
// Buffers may have any alignment. Threads: pure functions on the caller's buffers.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "perf/elements.hpp"

namespace weft::perf {

enum class Inputs { exact, order };

struct DataKey {
  weft_datatype_t type = weft_float32;
  weft_op_t op = weft_sum;
  bool premultiplied = false;  // the sum of inputs times their rank's premul_scalar
  int ranks = 1;
  std::uint64_t seed = 0;
  Inputs inputs = Inputs::exact;
};

// Elements [first, first + count) of rank's input to a reduction. Requires that type and operator
// go together.
void fill_contribution(const DataKey& key, int rank, std::size_t first, std::size_t count,
                       std::byte* to);

// How many of the elements differ from the reduction over all ranks. Requires exact inputs.
std::size_t wrong_reductions(const DataKey& key, std::size_t first, std::size_t count,
                             const std::byte* results);

// One element of a number's type: 1 on even ranks, 2 on odd ones, as nccl-tests has it.
std::array<std::byte, 8> premul_scalar(weft_datatype_t type, int rank);

// Elements [0, count) of a stream that is only moved; ranks have different streams.
void fill_stream(const DataKey& key, int stream, std::size_t count, std::byte* to);
std::size_t wrong_in_stream(const DataKey& key, int stream, std::size_t count,
                            const std::byte* results);

}  // namespace weft::perf
