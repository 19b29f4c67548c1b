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
  int8 = weft_int8,
  uint8 = weft_uint8,
  int32 = weft_int32,
  uint32 = weft_uint32,
  int64 = weft_int64,
  uint64 = weft_uint64,
  float16 = weft_float16,
  float32 = weft_float32,
  float64 = weft_float64,
  bfloat16 = weft_bfloat16,
  float8_e4m3 = weft_float8_e4m3,
  float8_e5m2 = weft_float8_e5m2,
  boolean = weft_bool,
  int16 = weft_int16,
  uint16 = weft_uint16,
  float32_int32 = weft_float32_int32,  ///< this and the next: ValueIndex
  float64_int32 = weft_float64_int32,
  int16_int32 = weft_int16_int32,
  int32_int32 = weft_int32_int32,
  int64_int32 = weft_int64_int32
};

/** Reductions; weft_op_t says what each does with overflow, NaN and rounding. */
enum class Op : int {
  sum = weft_sum,
  prod = weft_prod,
  max = weft_max,
  min = weft_min,
  avg = weft_avg,
  band = weft_band,
  bor = weft_bor,
  bxor = weft_bxor,
  land = weft_land,
  lor = weft_lor,
  lxor = weft_lxor,
  minloc = weft_minloc,
  maxloc = weft_maxloc,
  sum_wide = weft_sum_wide,
  avg_wide = weft_avg_wide
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
  T value;
  std::int32_t index;
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

/** Which DataType a C++ type is: `value`. Specialise it for types of your own. */
template <class T>
struct ElementType {};
template <detail::Integer T>
struct ElementType<T> {
  static constexpr DataType value = detail::integer_type<T>();
};
/** Letters travel as bytes, the same on all machines. */
template <>
struct ElementType<char> {
  static constexpr DataType value = DataType::uint8;
};
template <>
struct ElementType<bool> {
  static_assert(sizeof(bool) == 1);
  static constexpr DataType value = DataType::boolean;
};
template <>
struct ElementType<float> {
  static constexpr DataType value = DataType::float32;
};
template <>
struct ElementType<double> {
  static constexpr DataType value = DataType::float64;
};
template <>
struct ElementType<ValueIndex<float>> {
  static constexpr DataType value = DataType::float32_int32;
};
template <>
struct ElementType<ValueIndex<double>> {
  static constexpr DataType value = DataType::float64_int32;
};
template <>
struct ElementType<ValueIndex<std::int16_t>> {
  static constexpr DataType value = DataType::int16_int32;
};
template <>
struct ElementType<ValueIndex<std::int32_t>> {
  static constexpr DataType value = DataType::int32_int32;
};
template <>
struct ElementType<ValueIndex<std::int64_t>> {
  static constexpr DataType value = DataType::int64_int32;
};

/** A type whose objects can be sent. */
template <class T>
concept Element = std::is_trivially_copyable_v<T> && requires {
  { ElementType<T>::value } -> std::convertible_to<DataType>;
};

/** One member of a communicator, counted from 0. */
struct Rank {
  int value = 0;
  /** For containers that have one entry a rank. */
  constexpr std::size_t index() const noexcept { return static_cast<std::size_t>(value); }
  friend constexpr auto operator<=>(const Rank&, const Rank&) = default;
};
/** Ranks that give split() the same colour, 0 or above, end in the same communicator. */
struct Color {
  int value = 0;
  friend constexpr auto operator<=>(const Color&, const Color&) = default;
};
/** The order of ranks in what split() makes; equal keys: as before. */
struct Key {
  int value = 0;
  friend constexpr auto operator<=>(const Key&, const Key&) = default;
};

using Seconds = std::chrono::duration<double>;

/** A CUDA stream (a cudaStream_t converts), or none: buffers in host memory. Streams need a build
 * with CUDA; without it they are refused with Code::unsupported. */
struct Stream {
  constexpr Stream() noexcept = default;
  constexpr Stream(weft_stream_t stream) noexcept : handle(stream) {}
  weft_stream_t handle = nullptr;
};

}  // namespace v0
}  // namespace weft
