#include "perf/data.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "perf/formats.hpp"
#include "perf/reduction_data.hpp"

namespace weft::perf {
namespace {

std::unique_ptr<ReductionData> reduction_data(const DataKey& key) {
  if (key.type == weft_bool) return logical_data(key);
  switch (key.op) {
    case weft_prod: return product_data(key);
    case weft_max:
    case weft_min:
    case weft_minloc:
    case weft_maxloc: return extreme_data(key);
    case weft_band:
    case weft_bor:
    case weft_bxor: return bit_data(key);
    case weft_land:
    case weft_lor:
    case weft_lxor: return logical_data(key);
    default: return sum_data(key);
  }
}

// Random mantissa and sign. Exponents are far enough apart for sums to lose bits, and for large
// terms to cancel, and near enough for terms of few bits to have some in common. Factors are about
// 1, so that products of many ranks are neither infinite nor 0.
template <class Format>
typename Format::Code order_input(std::uint64_t bits, bool factor) {
  const int exponents = factor ? 2 : sizeof(typename Format::Code) == 1 ? 8 : 16;
  const double mantissa = 1 + static_cast<double>(bits >> 12) * 0x1p-52;
  const int exponent = static_cast<int>(bits % exponents) - (exponents + 1) / 2;
  const double value = std::ldexp(mantissa, exponent);
  return Format::code(bits & 16 ? -value : value);
}

template <class Value>
void fill_with(std::size_t count, std::byte* to, Value&& value) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto element = value(i);
    std::memcpy(to + i * sizeof element, &element, sizeof element);
  }
}

template <class Value>
std::size_t count_wrong(std::size_t count, const std::byte* results, Value&& value) {
  std::size_t differing = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto expected = value(i);
    differing += std::memcmp(results + i * sizeof expected, &expected, sizeof expected) != 0;
  }
  return differing;
}

struct Sixteen {
  std::uint64_t low, high;
};

// Calls work with a function that gives the element at an index.
template <class Work>
auto with_stream(const DataKey& key, int stream, Work&& work) {
  const std::uint64_t hash = stream_key(key.seed, 1 + stream);
  switch (element_bytes(key.type)) {
    case 1: return work([=](std::size_t i) { return static_cast<std::uint8_t>(bits_at(hash, i)); });
    case 2:
      return work([=](std::size_t i) { return static_cast<std::uint16_t>(bits_at(hash, i)); });
    case 4:
      return work([=](std::size_t i) { return static_cast<std::uint32_t>(bits_at(hash, i)); });
    case 8: return work([=](std::size_t i) { return bits_at(hash, i); });
    default: break;
  }
  return work([=](std::size_t i) {
    return Sixteen{bits_at(hash, 2 * i), bits_at(hash, 2 * i + 1)};
  });
}

}  // namespace

void fill_contribution(const DataKey& key, int rank, std::size_t first, std::size_t count,
                       std::byte* to) {
  if (key.inputs == Inputs::exact || kind_of(key.type) != Kind::floating)
    return reduction_data(key)->fill(rank, first, count, to);
  with_float(key.type, [&]<class Format>(Format) {
    const std::uint64_t stream = stream_key(key.seed, 1 + rank);
    fill_with(count, to, [&](std::size_t i) {
      return order_input<Format>(bits_at(stream, first + i), key.op == weft_prod);
    });
  });
}

std::size_t wrong_reductions(const DataKey& key, std::size_t first, std::size_t count,
                             const std::byte* results) {
  return reduction_data(key)->wrong(first, count, results);
}

std::array<std::byte, 8> premul_scalar(weft_datatype_t type, int rank) {
  std::array<std::byte, 8> scalar{};
  const int value = rank % 2 == 0 ? 1 : 2;
  if (kind_of(type) == Kind::integer) {
    with_integer(type, [&]<class Format>(Format) {
      const auto code = static_cast<typename Format::Code>(value);
      std::memcpy(scalar.data(), &code, sizeof code);
    });
  } else {
    with_float(type, [&]<class Format>(Format) {
      const auto code = Format::code(value);
      std::memcpy(scalar.data(), &code, sizeof code);
    });
  }
  return scalar;
}

void fill_stream(const DataKey& key, int stream, std::size_t count, std::byte* to) {
  with_stream(key, stream, [&](auto&& element) { fill_with(count, to, element); });
}

std::size_t wrong_in_stream(const DataKey& key, int stream, std::size_t count,
                            const std::byte* results) {
  return with_stream(key, stream,
                     [&](auto&& element) { return count_wrong(count, results, element); });
}

}  // namespace weft::perf
