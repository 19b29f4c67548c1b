/**
 * @file buffer.hpp
 * @brief What Weft's C++ API takes as a buffer, and how two buffers of a call fit together.
 *
 * A buffer is any contiguous range of elements that outlives the expression that names it: a span,
 * or a vector, array or C array that has a name. Bytes whose type only the program knows are a
 * buffer by typed(). Sizes are checked against each other before anything is started.
 *
 * Lifetime: buffers are borrowed; how long, each form of a call says. Threads: values.
 */
#pragma once
#include <ranges>
#include <span>
#include <string>

#include "weft/error.hpp"
#include "weft/types.hpp"

namespace weft {
inline namespace v0 {

/** Elements whose C++ type is not known: see typed(). */
template <detail::OneOf<std::byte, const std::byte> Byte>
struct TypedBytes {
  std::span<Byte> bytes;  ///< borrowed; a whole number of elements, in any alignment
  DataType type;          ///< of every element
};

/**
 * Bytes as elements of `type`, for buffers whose type is known at run time only, and for types that
 * C++ has not:
 *
 *     comm.all_reduce(weft::typed(std::as_writable_bytes(gradients), weft::DataType::bfloat16));
 *
 * Throws Error (invalid_argument) from the call if they are not a whole number of elements.
 */
inline TypedBytes<std::byte> typed(std::span<std::byte> bytes, DataType type) {
  return {bytes, type};
}
/** The same, of bytes that are only read. */
inline TypedBytes<const std::byte> typed(std::span<const std::byte> bytes, DataType type) {
  return {bytes, type};
}

namespace detail {

template <class B>
concept Typed = OneOf<std::remove_cvref_t<B>, TypedBytes<std::byte>, TypedBytes<const std::byte>>;

template <class B>
concept ElementRange = std::ranges::contiguous_range<B> && std::ranges::sized_range<B> &&
    std::ranges::borrowed_range<B> && Element<std::ranges::range_value_t<B>>;

template <class B>
struct BufferElement {
  using Type = std::byte;  // of TypedBytes
};
template <ElementRange B>
struct BufferElement<B> {
  using Type = std::ranges::range_value_t<B>;
};

template <class B>
constexpr bool is_writable() {
  if constexpr (Typed<B>)
    return std::same_as<std::remove_cvref_t<B>, TypedBytes<std::byte>>;
  else
    return !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<B>>>;
}

}  // namespace detail

/** Elements that a call reads. */
template <class B>
concept InputBuffer = detail::Typed<B> || detail::ElementRange<B>;
/** Elements that a call writes. */
template <class B>
concept OutputBuffer = InputBuffer<B> && detail::is_writable<B>();

/** The C++ type of a buffer's elements; std::byte for typed() ones. */
template <InputBuffer B>
using ElementOf = typename detail::BufferElement<B>::Type;

namespace detail {

/** Elements at `data`, whose type C++ has forgotten. */
template <class Void>
struct Erased {
  Void* data;
  std::size_t count;
  weft_datatype_t type;
};

template <class Void, class B>
Erased<Void> erased(B& buffer) {
  if constexpr (Typed<B>) {
    const std::size_t bytes = bytes_of(buffer.type);
    if (bytes == 0 || buffer.bytes.size() % bytes != 0)
      throw Error(Code::invalid_argument, std::to_string(buffer.bytes.size()) +
                                              " bytes are not a whole number of elements of " +
                                              std::to_string(bytes) + " bytes");
    return {buffer.bytes.data(), buffer.bytes.size() / bytes,
            static_cast<weft_datatype_t>(buffer.type)};
  } else {
    return {std::ranges::data(buffer), std::size_t(std::ranges::size(buffer)),
            static_cast<weft_datatype_t>(ElementType<ElementOf<B&>>::value)};
  }
}

/** The buffers of one call: `count` elements of the smaller one. */
struct Buffers {
  const void* input;
  void* output;
  std::size_t count;
  weft_datatype_t type;
};

/** Of any sizes; count is that of the input. */
template <class In, class Out>
Buffers of_one_type(In& in, Out& out) {
  const auto input = detail::erased<const void>(in);
  const auto output = detail::erased<void>(out);
  if (input.type != output.type)
    throw Error(Code::invalid_argument, "input and output hold elements of different types");
  return {input.data, output.data, input.count, input.type};
}

/** Checks that the input is `input_blocks` and the output `output_blocks` times as large as the
 * count of the call, one of which is 1. */
template <class In, class Out>
Buffers fit(In& in, Out& out, std::size_t input_blocks, std::size_t output_blocks) {
  Buffers made = of_one_type(in, out);
  const std::size_t input = made.count, output = detail::erased<void>(out).count;
  const std::size_t blocks = input_blocks * output_blocks;
  const std::size_t large = input_blocks == 1 ? output : input;
  made.count = input_blocks == 1 ? input : output;
  if (large % blocks != 0 || large / blocks != made.count)
    throw Error(
        Code::invalid_argument,
        "the input has " + std::to_string(input) + " elements and the output " +
            std::to_string(output) + ": the " +
            (blocks == 1 ? std::string("two must be equal")
                         : std::string(input_blocks == 1 ? "output" : "input") + " must have " +
                               std::to_string(blocks) + " times as many, a block for each rank"));
  return made;
}

/** Elements of each of `blocks` equal blocks of `size` ones. */
inline std::size_t elements_of_block(std::size_t size, std::size_t blocks) {
  if (size % blocks != 0)
    throw Error(Code::invalid_argument, std::to_string(size) + " elements are not " +
                                            std::to_string(blocks) +
                                            " blocks of equal size, one for each rank");
  return size / blocks;
}

/** Elements [first, first + count) of a buffer that has them. */
template <class B>
auto part_of(B& buffer, std::size_t first, std::size_t count) {
  if constexpr (Typed<B>) {
    auto part = buffer;
    const std::size_t bytes = bytes_of(buffer.type);
    part.bytes = part.bytes.subspan(first * bytes, count * bytes);
    return part;
  } else {
    return std::span(std::ranges::data(buffer), std::ranges::size(buffer)).subspan(first, count);
  }
}

/** Elements [index * size / blocks, (index + 1) * size / blocks) of a buffer. */
template <class B>
auto block_of(B& buffer, std::size_t index, std::size_t blocks) {
  const std::size_t count = elements_of_block(detail::erased<const void>(buffer).count, blocks);
  return part_of(buffer, index * count, count);
}

}  // namespace detail
}  // namespace v0
}  // namespace weft
