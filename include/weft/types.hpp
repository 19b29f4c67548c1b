/**
 * @file types.hpp
 * @brief Types of elements, operators, and the small strong types of Weft's C++ API.
 *
 * An element's type is deduced from the buffer. To add a type of your own, for instance a half
 * precision class of sixteen bits, specialise ElementType:
 *
 *     template <>
 *     struct weft::ElementType<my::Half> {
 *       static constexpr weft::DataType value = weft::DataType::float16;
 *     };
 *
 * Lifetime, threads: values and constants.
 */
#pragma once
#include <chrono>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "weft/weft.h"

namespace weft {
inline namespace v0 {

/** Types of elements; weft_datatype_t has the details. */
enum class DataType : int {
  int8 = weft_int8,                    ///< signed, 1 byte
  uint8 = weft_uint8,                  ///< unsigned, 1 byte; char too
  int32 = weft_int32,                  ///< signed, 4 bytes
  uint32 = weft_uint32,                ///< unsigned, 4 bytes
  int64 = weft_int64,                  ///< signed, 8 bytes
  uint64 = weft_uint64,                ///< unsigned, 8 bytes
  float16 = weft_float16,              ///< IEEE binary16, 2 bytes
  float32 = weft_float32,              ///< float, 4 bytes
  float64 = weft_float64,              ///< double, 8 bytes
  bfloat16 = weft_bfloat16,            ///< the upper half of a float32, 2 bytes
  float8_e4m3 = weft_float8_e4m3,      ///< OCP E4M3: no infinity, largest 448; 1 byte
  float8_e5m2 = weft_float8_e5m2,      ///< OCP E5M2: as IEEE, largest 57344; 1 byte
  boolean = weft_bool,                 ///< 1 byte: 0 is false, anything else true
  int16 = weft_int16,                  ///< signed, 2 bytes
  uint16 = weft_uint16,                ///< unsigned, 2 bytes
  float32_int32 = weft_float32_int32,  ///< ValueIndex of float, 8 bytes
  float64_int32 = weft_float64_int32,  ///< ValueIndex of double, 16 bytes
  int16_int32 = weft_int16_int32,      ///< ValueIndex of std::int16_t, 8 bytes
  int32_int32 = weft_int32_int32,      ///< ValueIndex of std::int32_t, 8 bytes
  int64_int32 = weft_int64_int32       ///< ValueIndex of std::int64_t, 16 bytes
};

/** Reductions; weft_op_t says what each does with overflow, NaN and rounding. */
enum class Op : int {
  sum = weft_sum,            ///< of numbers and bool; integers wrap
  prod = weft_prod,          ///< product; integers wrap
  max = weft_max,            ///< greatest; NaN wins, and -0 < +0
  min = weft_min,            ///< least; NaN wins, and -0 < +0
  avg = weft_avg,            ///< the sum, divided once by the number of ranks; not for bool
  band = weft_band,          ///< bitwise and of integers; all of bools
  bor = weft_bor,            ///< bitwise or of integers; any of bools
  bxor = weft_bxor,          ///< bitwise exclusive or of integers; parity of bools
  land = weft_land,          ///< logical and of integers and bools: 0 or 1
  lor = weft_lor,            ///< logical or of integers and bools: 0 or 1
  lxor = weft_lxor,          ///< logical exclusive or of integers and bools: 0 or 1
  minloc = weft_minloc,      ///< ValueIndex: the least value, of equals the lowest index; NaN wins
  maxloc = weft_maxloc,      ///< ValueIndex: the greatest value, likewise
  sum_wide = weft_sum_wide,  ///< sum; of narrow floats in float32, rounded once at the end
  avg_wide = weft_avg_wide   ///< avg, likewise
};

/** Bytes of one element. */
inline std::size_t bytes_of(DataType type) noexcept {
  return weft_datatype_bytes(static_cast<weft_datatype_t>(type));
}
/** Whether the operator means something for elements of this type. */
inline bool reduces(DataType type, Op op) noexcept {
  return weft_reduces(static_cast<weft_datatype_t>(type), static_cast<weft_op_t>(op)) != 0;
}

/** A value and where it was found, for Op::minloc and Op::maxloc. Padding is sent as it is. */
template <class T>
struct ValueIndex {
  T value;             ///< what is compared
  std::int32_t index;  ///< where it was found, in the program's own count; travels along
  /** Both are equal; so not for a NaN. */
  friend bool operator==(const ValueIndex&, const ValueIndex&) = default;
};

namespace detail {

template <class T, class... Others>
concept OneOf = (std::same_as<T, Others> || ...);

/** Numbers, as opposed to truth values and letters. */
template <class T>
concept Integer = std::integral<T> && sizeof(T) <= 8 &&
                  !OneOf<T, bool, char, wchar_t, char8_t, char16_t, char32_t>;

template <Integer T>
constexpr DataType integer_type() {
  if constexpr (sizeof(T) == 1)
    return std::is_signed_v<T> ? DataType::int8 : DataType::uint8;
  else if constexpr (sizeof(T) == 2)
    return std::is_signed_v<T> ? DataType::int16 : DataType::uint16;
  else if constexpr (sizeof(T) == 4)
    return std::is_signed_v<T> ? DataType::int32 : DataType::uint32;
  else
    return std::is_signed_v<T> ? DataType::int64 : DataType::uint64;
}

}  // namespace detail

/** Which DataType a C++ type is: `value`; a T without one cannot be sent. Specialise it for types
 * of your own. */
template <class T>
struct ElementType {};
/** Integers of 1, 2, 4 and 8 bytes, under whatever name C++ has for them. */
template <detail::Integer T>
struct ElementType<T> {
  static constexpr DataType value = detail::integer_type<T>();  ///< by size and sign
};
/** Letters travel as bytes, the same on all machines. */
template <>
struct ElementType<char> {
  static constexpr DataType value = DataType::uint8;  ///< also where char is signed
};
/** Truth values. */
template <>
struct ElementType<bool> {
  static_assert(sizeof(bool) == 1);
  static constexpr DataType value = DataType::boolean;  ///< 1 byte
};
/** Single precision. */
template <>
struct ElementType<float> {
  static constexpr DataType value = DataType::float32;  ///< 4 bytes
};
/** Double precision. */
template <>
struct ElementType<double> {
  static constexpr DataType value = DataType::float64;  ///< 8 bytes
};
/** As MPI has it in MPI_FLOAT_INT. */
template <>
struct ElementType<ValueIndex<float>> {
  static constexpr DataType value = DataType::float32_int32;  ///< 8 bytes
};
/** As MPI has it in MPI_DOUBLE_INT. */
template <>
struct ElementType<ValueIndex<double>> {
  static constexpr DataType value = DataType::float64_int32;  ///< 16 bytes, 4 of them padding
};
/** As MPI has it in MPI_SHORT_INT. */
template <>
struct ElementType<ValueIndex<std::int16_t>> {
  static constexpr DataType value = DataType::int16_int32;  ///< 8 bytes, 2 of them padding
};
/** As MPI has it in MPI_2INT. */
template <>
struct ElementType<ValueIndex<std::int32_t>> {
  static constexpr DataType value = DataType::int32_int32;  ///< 8 bytes
};
/** As MPI has it in MPI_LONG_INT. */
template <>
struct ElementType<ValueIndex<std::int64_t>> {
  static constexpr DataType value = DataType::int64_int32;  ///< 16 bytes, 4 of them padding
};

/** A type whose objects can be sent. */
template <class T>
concept Element = std::is_trivially_copyable_v<T> && requires {
  { ElementType<T>::value } -> std::convertible_to<DataType>;
};

/** One member of a communicator, counted from 0. */
struct Rank {
  int value = 0;  ///< from 0 to one less than the number of ranks
  /** For containers that have one entry a rank. */
  constexpr std::size_t index() const noexcept { return static_cast<std::size_t>(value); }
  /** In the order of their numbers. */
  friend constexpr auto operator<=>(const Rank&, const Rank&) = default;
};
/** Ranks that give split() the same colour, 0 or above, end in the same communicator. */
struct Color {
  int value = 0;  ///< any name for the group to be; the numbers need not be dense
  /** In the order of their numbers. */
  friend constexpr auto operator<=>(const Color&, const Color&) = default;
};
/** The order of ranks in what split() makes; equal keys: as before. */
struct Key {
  int value = 0;  ///< the lowest comes first; may be negative
  /** In the order of their numbers. */
  friend constexpr auto operator<=>(const Key&, const Key&) = default;
};

/** A time in seconds; any std::chrono::duration converts. */
using Seconds = std::chrono::duration<double>;

/** A CUDA stream (a cudaStream_t converts), or none: buffers in host memory. Streams need a build
 * with CUDA; without it they are refused with Code::unsupported. */
struct Stream {
  /** None: buffers in host memory. */
  constexpr Stream() noexcept = default;
  /** A stream of the caller's, which it stays. */
  constexpr Stream(weft_stream_t stream) noexcept : handle(stream) {}
  weft_stream_t handle = nullptr;  ///< NULL: none
};

}  // namespace v0
}  // namespace weft
