#include "tests/unit/host/oracle.hpp"

#include <cmath>
#include <cstring>
#include <span>

#include "tests/unit/host/narrow_oracle.hpp"

namespace weft::host::test {
namespace {

using i8 = std::int8_t;
using i16 = std::int16_t;

struct Boolean {
  u8 byte;
};
template <DataType type, class Code>
struct Narrow {
  Code code;
};
template <class V>
struct Pair {  // laid out as in C, with its padding among the bytes
  static constexpr std::size_t size = sizeof(V) == 8 ? 16 : 8;
  std::byte bytes[size];

  V value() const {
    V value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  i32 index() const {
    i32 index;
    std::memcpy(&index, bytes + size / 2, sizeof index);
    return index;
  }
};

template <class T>
T apply(Op op, T a, T b) requires std::is_integral_v<T> {
  const __int128 x = a, y = b;
  switch (op) {
    case Op::sum:
    case Op::avg: return static_cast<T>(x + y);
    case Op::prod: return static_cast<T>(static_cast<unsigned __int128>(x) * y);
    case Op::max: return x < y ? b : a;
    case Op::min: return y < x ? b : a;
    case Op::band: return static_cast<T>(x & y);
    case Op::bor: return static_cast<T>(x | y);
    case Op::bxor: return static_cast<T>(x ^ y);
    case Op::land: return a != 0 && b != 0;
    case Op::lor: return a != 0 || b != 0;
    default: return (a != 0) != (b != 0);
  }
}

Boolean apply(Op op, Boolean a, Boolean b) {
  const bool x = a.byte != 0, y = b.byte != 0;
  switch (op) {
    case Op::sum:
    case Op::max:
    case Op::bor:
    case Op::lor: return {x || y};
    case Op::prod:
    case Op::min:
    case Op::band:
    case Op::land: return {x && y};
    default: return {x != y};
  }
}

template <class F, class Bits>
F from_bits(Bits bits) {
  F value;
  static_assert(sizeof value == sizeof bits);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

float one_nan(float value) { return std::isnan(value) ? from_bits<float>(0x7fc00000) : value; }
double one_nan(double value) {
  return std::isnan(value) ? from_bits<double>(0x7ff8000000000000) : value;
}

// -0 < +0; for numbers alone.
template <class F>
bool less(F a, F b) {
  return a == b ? std::signbit(a) && !std::signbit(b) : a < b;
}

template <class F>
F apply_float(Op op, F a, F b) {
  volatile F result = F();  // rounded to its type before anything else looks at it
  if (op == Op::sum || op == Op::avg) {
    result = a + b;
  } else if (op == Op::prod) {
    result = a * b;
  } else if (std::isnan(a) || std::isnan(b)) {
    result = F(NAN);
  } else {
    result = less(a, b) == (op == Op::min) ? a : b;
  }
  return one_nan(result);
}
float apply(Op op, float a, float b) { return apply_float(op, a, b); }
double apply(Op op, double a, double b) { return apply_float(op, a, b); }

template <DataType type, class Code>
Narrow<type, Code> apply(Op op, Narrow<type, Code> a, Narrow<type, Code> b) {
  const auto wide = apply(op, float(decode(type, a.code)), float(decode(type, b.code)));
  return {static_cast<Code>(encode(type, wide))};
}

template <class V>
Pair<V> apply(Op op, Pair<V> a, Pair<V> b) {
  const V x = a.value(), y = b.value();
  if constexpr (std::is_floating_point_v<V>) {
    if (std::isnan(x) != std::isnan(y)) return std::isnan(x) ? a : b;
    if (!std::isnan(x)) {
      if (less(x, y)) return op == Op::minloc ? a : b;
      if (less(y, x)) return op == Op::minloc ? b : a;
    }
  } else if (x != y) {
    return (x < y) == (op == Op::minloc) ? a : b;
  }
  return b.index() < a.index() ? b : a;
}

// C(a, b) = C(a, m) op C(m, b), m = a + the largest power of two below b - a.
template <class T>
T canonical(Op op, std::span<const T> values) {
  if (values.size() == 1) return values[0];
  std::size_t m = 1;
  while (2 * m < values.size()) m *= 2;
  return apply(op, canonical(op, values.first(m)), canonical(op, values.subspan(m)));
}

template <class T>
std::vector<T> elements_of(const Bytes& bytes) {
  std::vector<T> elements(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(elements.data(), bytes.data(), bytes.size());
  return elements;
}

template <class T>
Bytes bytes_of_all(const std::vector<T>& elements) {
  Bytes bytes(elements.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

// Calls f with an element of the type.
template <class F>
Bytes with_type(DataType type, F f) {
  switch (type) {
    case DataType::int8: return f(i8());
    case DataType::uint8: return f(u8());
    case DataType::int16: return f(i16());
    case DataType::uint16: return f(u16());
    case DataType::int32: return f(i32());
    case DataType::uint32: return f(u32());
    case DataType::int64: return f(i64());
    case DataType::uint64: return f(u64());
    case DataType::float16: return f(Narrow<DataType::float16, u16>());
    case DataType::bfloat16: return f(Narrow<DataType::bfloat16, u16>());
    case DataType::float8_e4m3: return f(Narrow<DataType::float8_e4m3, u8>());
    case DataType::float8_e5m2: return f(Narrow<DataType::float8_e5m2, u8>());
    case DataType::float32: return f(float());
    case DataType::float64: return f(double());
    case DataType::boolean: return f(Boolean());
    case DataType::float32_int32: return f(Pair<float>());
    case DataType::float64_int32: return f(Pair<double>());
    case DataType::int16_int32: return f(Pair<i16>());
    case DataType::int32_int32: return f(Pair<i32>());
    case DataType::int64_int32: return f(Pair<i64>());
  }
  return {};
}

template <class T>
T quotient(T value, u64 n) requires std::is_integral_v<T> {
  return static_cast<T>(static_cast<__int128>(value) / static_cast<__int128>(n));
}
float quotient(float value, u64 n) {
  volatile float divisor = static_cast<float>(n), result = value / divisor;
  return one_nan(result);
}
double quotient(double value, u64 n) {
  volatile double divisor = static_cast<double>(n), result = value / divisor;
  return one_nan(result);
}
template <DataType type, class Code>
Narrow<type, Code> quotient(Narrow<type, Code> value, u64 n) {
  return {static_cast<Code>(encode(type, quotient(float(decode(type, value.code)), n)))};
}
Boolean quotient(Boolean value, u64) { return value; }  // there is no such map
template <class V>
Pair<V> quotient(Pair<V> value, u64) {
  return value;
}

}  // namespace

Bytes expected(DataType type, Op op, const std::vector<Bytes>& operands) {
  return with_type(type, [&]<class T>(T) {
    std::vector<std::vector<T>> columns;
    for (const Bytes& operand : operands) columns.push_back(elements_of<T>(operand));
    std::vector<T> row(operands.size()), results(columns[0].size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      for (std::size_t k = 0; k < row.size(); ++k) row[k] = columns[k][i];
      results[i] = canonical<T>(op, row);
    }
    return bytes_of_all(results);
  });
}

Bytes expected_product(DataType type, const Bytes& values, const Bytes& scalar) {
  return with_type(type, [&]<class T>(T) {
    std::vector<T> elements = elements_of<T>(values);
    for (T& each : elements) each = apply(Op::prod, each, elements_of<T>(scalar)[0]);
    return bytes_of_all(elements);
  });
}

Bytes expected_quotient(DataType type, const Bytes& values, u64 n) {
  return with_type(type, [&]<class T>(T) {
    std::vector<T> elements = elements_of<T>(values);
    for (T& each : elements) each = quotient(each, n);
    return bytes_of_all(elements);
  });
}

}  // namespace weft::host::test
