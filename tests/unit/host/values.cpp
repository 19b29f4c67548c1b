#include "tests/unit/host/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/unit/host/narrow_oracle.hpp"

namespace weft::host::test {
namespace {

constexpr std::size_t pool_elements = 5003;

template <class T>
void append(Bytes& bytes, T value) {
  const auto* from = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), from, from + sizeof value);
}

// Finite and infinite, tiny and huge values whose sums depend on the order, NaNs with payloads.
template <class F>
Bytes float_palette() {
  using Limits = std::numeric_limits<F>;
  const F big = F(1) / Limits::epsilon();
  Bytes bytes;
  for (F value :
       {F(0), F(1), F(0.1), big, big + 1, Limits::max(), Limits::min(), Limits::denorm_min(),
        Limits::min() - Limits::denorm_min(), Limits::infinity(), Limits::quiet_NaN()}) {
    append(bytes, value);
    append(bytes, -value);
  }
  append(bytes, Limits::quiet_NaN());
  bytes[bytes.size() - sizeof(F)] = std::byte(0x5a);  // a payload (little endian)
  append(bytes, Limits::signaling_NaN());
  bytes[bytes.size() - sizeof(F)] = std::byte(0x5a);
  return bytes;
}

template <class T>
Bytes integer_palette() {
  Bytes bytes;
  for (T value : {T(0), T(1), T(2), T(-1), std::numeric_limits<T>::max(),
                  std::numeric_limits<T>::min(), T(std::numeric_limits<T>::max() / 2 + 1)}) {
    append(bytes, value);
  }
  return bytes;
}

// Both ends of every kind of number, and the NaNs.
Bytes narrow_palette(DataType type) {
  const NarrowFormat format = format_of(type);
  const u32 one = u32(format.bias()) << format.mantissa_bits, least = 1u << format.mantissa_bits;
  Bytes bytes;
  for (u32 code : {0u, 1u, least - 1, least, one, one + 1, one + least, format.special() - 1,
                   format.special(), format.sign() - 1, format.nan, format.nan - 1}) {
    for (u32 sign : {0u, format.sign()}) {
      if (bytes_of(type) == 1) {
        append(bytes, static_cast<u8>(code | sign));
      } else {
        append(bytes, static_cast<u16>(code | sign));
      }
    }
  }
  return bytes;
}

// The values of a palette with several indices, and padding that is not zero.
Bytes pair_palette(const Bytes& values, std::size_t value_size, std::size_t size) {
  Bytes bytes;
  for (std::size_t at = 0; at < values.size(); at += value_size) {
    for (i32 index : {0, 7, -1, INT32_MIN, INT32_MAX}) {
      Bytes pair(size, std::byte(at + 1));
      std::memcpy(pair.data(), &values[at], value_size);
      std::memcpy(pair.data() + size / 2, &index, sizeof index);
      bytes.insert(bytes.end(), pair.begin(), pair.end());
    }
  }
  return bytes;
}

void put_calm(DataType type, std::byte* to, u64 bits) {
  const double number = std::ldexp(1 + double(bits >> 12) * 0x1p-52, bits % 2 ? 0 : -1);
  const double value = bits & 2 ? -number : number;  // from 0.5 to 2
  if (is_narrow(type)) {
    const u32 code = encode(type, float(value));
    std::memcpy(to, &code, bytes_of(type));
  } else if (type == DataType::float32) {
    const float narrow = float(value);
    std::memcpy(to, &narrow, sizeof narrow);
  } else if (type == DataType::float64) {
    std::memcpy(to, &value, sizeof value);
  } else if (family_of(type) == Family::pair) {  // few values and few indices, so many ties
    const float small = float(bits >> 62), small_double[2] = {0, 1 + float(bits >> 63)};
    const i32 index = i32((bits >> 32) % 3) - 1;
    if (type == DataType::float32_int32) std::memcpy(to, &small, sizeof small);
    if (type == DataType::float64_int32) std::memcpy(to, small_double, sizeof small_double);
    if (type != DataType::float32_int32 && type != DataType::float64_int32) {
      std::memset(to, 0, bytes_of(type) / 2);
      to[0] = std::byte(bits >> 62);
    }
    std::memcpy(to + bytes_of(type) / 2, &index, sizeof index);
  } else if (type == DataType::boolean) {
    *to = std::byte(bits >> 60 & 1);
  } else {
    std::memcpy(to, reinterpret_cast<const std::byte*>(&bits), bytes_of(type));
  }
}

}  // namespace

Bytes palette_of(DataType type) {
  switch (type) {
    case DataType::int8: return integer_palette<std::int8_t>();
    case DataType::uint8: return integer_palette<u8>();
    case DataType::int16: return integer_palette<std::int16_t>();
    case DataType::uint16: return integer_palette<u16>();
    case DataType::int32: return integer_palette<i32>();
    case DataType::uint32: return integer_palette<u32>();
    case DataType::int64: return integer_palette<i64>();
    case DataType::uint64: return integer_palette<u64>();
    case DataType::float32: return float_palette<float>();
    case DataType::float64: return float_palette<double>();
    case DataType::boolean: return {std::byte(0), std::byte(1), std::byte(2), std::byte(255)};
    case DataType::float32_int32: return pair_palette(float_palette<float>(), 4, 8);
    case DataType::float64_int32: return pair_palette(float_palette<double>(), 8, 16);
    case DataType::int16_int32: return pair_palette(integer_palette<std::int16_t>(), 2, 8);
    case DataType::int32_int32: return pair_palette(integer_palette<i32>(), 4, 8);
    case DataType::int64_int32: return pair_palette(integer_palette<i64>(), 8, 16);
    default: return narrow_palette(type);
  }
}

Bytes random_values(DataType type, Mood mood, std::size_t elements, std::mt19937_64& random) {
  const std::size_t size = bytes_of(type);
  const Bytes palette = palette_of(type);
  Bytes bytes(elements * size);
  for (std::size_t i = 0; i < elements; ++i) {
    std::byte* to = bytes.data() + i * size;
    const u64 dice = random() % 16;
    if (mood == Mood::awkward ? dice < 8 : mood == Mood::mixed && dice == 0) {
      std::memcpy(to, &palette[random() % (palette.size() / size) * size], size);
    } else if (mood == Mood::awkward) {
      const u64 bits[2] = {random(), random()};
      std::memcpy(to, bits, size);
    } else {
      put_calm(type, to, random());
    }
  }
  return bytes;
}

Pool::Pool(std::mt19937_64& random) : random_(random) {
  for (DataType type : all_types) {
    for (Mood mood : {Mood::calm, Mood::mixed, Mood::awkward}) {
      values_.push_back(random_values(type, mood, pool_elements, random));
    }
  }
}

Bytes Pool::operand(DataType type, Mood mood, std::size_t count) {
  const Bytes& from = values_[std::size_t(type) * 3 + std::size_t(mood)];
  Bytes bytes(count * bytes_of(type));
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t start = random_() % pool_elements * bytes_of(type);
    const std::size_t part = std::min(bytes.size() - at, from.size() - start);
    std::memcpy(bytes.data() + at, from.data() + start, part);
    at += part;
  }
  return bytes;
}

}  // namespace weft::host::test
