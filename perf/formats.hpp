// How elements lie in memory: integers as their bits, floats by sign, exponent and mantissa, pairs
// as C lays them out.
//
// Inputs are made and results are compared as bits, so the tools need no arithmetic in narrow
// types, only one rounding: that of a double, to nearest even. Threads: pure functions and
// constants.
#pragma once
#include <weft/weft.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <type_traits>

namespace weft::perf {

template <class T>
struct Integer {
  using Value = T;
  using Code = std::make_unsigned_t<T>;
  static constexpr int bits = 8 * sizeof(T);
};

// IEEE 754 with these widths; without infinity (OCP FP8 E4M3) only the code of all ones is NaN.
template <class Unsigned, int mantissa_bits, int exponent_bias, bool with_infinity>
struct Float {
  using Code = Unsigned;
  static constexpr int mantissa = mantissa_bits, bias = exponent_bias;
  static constexpr int precision = mantissa + 1;  // every integer up to 2^precision is exact
  static constexpr bool has_infinity = with_infinity;
  static constexpr int least_normal = 1 - bias;  // exponents of two
  static constexpr int least = least_normal - mantissa;
  static constexpr Code sign = Code(Code(1) << (8 * sizeof(Code) - 1));
  // Of all codes without sign the first that is no number, infinity or NaN.
  static constexpr Code special =
      has_infinity ? Code(Code(Code(sign - 1) >> mantissa) << mantissa) : Code(sign - 1);
  static constexpr int largest = int(Code(special - 1) >> mantissa) - bias;

  // The value rounded to nearest even; beyond the largest number infinity, or NaN without one.
  static Code code(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    if constexpr (mantissa == 52) {
      return bits;
    } else {
      const Code signed_zero = bits >> 63 ? sign : Code(0);
      const int exponent = int(bits >> 52 & 0x7ff) - 1023;
      const std::uint64_t significand = (bits & ((1ull << 52) - 1)) | 1ull << 52;
      const int below = exponent < least_normal ? least_normal - exponent : 0;
      const int dropped = 52 - mantissa + below;
      if (dropped > 53) return signed_zero;  // at most half of the least number
      const std::uint64_t rest = significand & ((1ull << dropped) - 1),
                          half = 1ull << (dropped - 1);
      std::uint64_t kept = significand >> dropped;
      kept += rest > half || (rest == half && (kept & 1));
      // The leading bit of a normal number counts one exponent.
      kept += std::uint64_t(exponent + below + bias - 1) << mantissa;
      return Code(signed_zero | (kept < special ? Code(kept) : special));
    }
  }
};

using Float16 = Float<std::uint16_t, 10, 15, true>;
using Bfloat16 = Float<std::uint16_t, 7, 127, true>;
using Float32 = Float<std::uint32_t, 23, 127, true>;
using Float64 = Float<std::uint64_t, 52, 1023, true>;
using Float8E4m3 = Float<std::uint8_t, 3, 7, false>;
using Float8E5m2 = Float<std::uint8_t, 2, 15, true>;

// A value and an index, as the words of struct { value; int32_t index; }. Its padding is nobody's:
// zero in inputs, not looked at in results.
template <class ValueFormat>
struct Pair {
  using Value = ValueFormat;
  static_assert(std::endian::native == std::endian::little, "a value is the lowest bits of a word");
  static constexpr bool is_long = sizeof(typename Value::Code) == 8;
  static constexpr std::uint64_t of_value = std::uint64_t(typename Value::Code(~0ull));
  static constexpr std::uint64_t of_index = is_long ? 0xffffffff : 0xffffffffull << 32;

  static Pair of(typename Value::Code value, std::int32_t index) {
    const auto unsigned_index = static_cast<std::uint32_t>(index);
    if constexpr (is_long)
      return {{value, unsigned_index}};
    else
      return {{value | std::uint64_t{unsigned_index} << 32}};
  }
  bool operator==(const Pair& other) const {
    if constexpr (is_long)
      return words[0] == other.words[0] && ((words[1] ^ other.words[1]) & of_index) == 0;
    else
      return ((words[0] ^ other.words[0]) & (of_value | of_index)) == 0;
  }

  std::uint64_t words[is_long ? 2 : 1];
};

enum class Kind { integer, boolean, floating, pair };

constexpr Kind kind_of(weft_datatype_t type) {
  switch (type) {
    case weft_bool: return Kind::boolean;
    case weft_float16:
    case weft_float32:
    case weft_float64:
    case weft_bfloat16:
    case weft_float8_e4m3:
    case weft_float8_e5m2: return Kind::floating;
    case weft_float32_int32:
    case weft_float64_int32:
    case weft_int16_int32:
    case weft_int32_int32:
    case weft_int64_int32: return Kind::pair;
    default: return Kind::integer;
  }
}

// Narrower than float32: what the wide operators are for.
constexpr bool is_narrow(weft_datatype_t type) {
  return kind_of(type) == Kind::floating && type != weft_float32 && type != weft_float64;
}

// Calls work with a value of the format of `type`, which is of the kind that the name says.
template <class Work>
auto with_integer(weft_datatype_t type, Work&& work) {
  switch (type) {
    case weft_int8: return work(Integer<std::int8_t>());
    case weft_uint8: return work(Integer<std::uint8_t>());
    case weft_int16: return work(Integer<std::int16_t>());
    case weft_uint16: return work(Integer<std::uint16_t>());
    case weft_int32: return work(Integer<std::int32_t>());
    case weft_uint32: return work(Integer<std::uint32_t>());
    case weft_int64: return work(Integer<std::int64_t>());
    case weft_uint64: return work(Integer<std::uint64_t>());
    default: std::abort();
  }
}

template <class Work>
auto with_float(weft_datatype_t type, Work&& work) {
  switch (type) {
    case weft_float16: return work(Float16());
    case weft_bfloat16: return work(Bfloat16());
    case weft_float32: return work(Float32());
    case weft_float64: return work(Float64());
    case weft_float8_e4m3: return work(Float8E4m3());
    case weft_float8_e5m2: return work(Float8E5m2());
    default: std::abort();
  }
}

template <class Work>
auto with_pair(weft_datatype_t type, Work&& work) {
  switch (type) {
    case weft_float32_int32: return work(Pair<Float32>());
    case weft_float64_int32: return work(Pair<Float64>());
    case weft_int16_int32: return work(Pair<Integer<std::int16_t>>());
    case weft_int32_int32: return work(Pair<Integer<std::int32_t>>());
    case weft_int64_int32: return work(Pair<Integer<std::int64_t>>());
    default: std::abort();
  }
}

}  // namespace weft::perf
