#include "tests/unit/host/oracle.hpp"

#include <cmath>
#include <cstring>
#include <span>

namespace weft::host::test {
namespace {

u8 apply(Op op, u8 a, u8 b) {
  if (op == Op::sum) return static_cast<u8>((unsigned(a) + unsigned(b)) % 256);
  return (a < b) == (op == Op::min) ? a : b;
}

i32 apply(Op op, i32 a, i32 b) {
  if (op == Op::sum) {
    const i64 wide = i64(a) + i64(b);
    const i64 turn = i64(1) << 32;
    if (wide > INT32_MAX) return static_cast<i32>(wide - turn);
    if (wide < INT32_MIN) return static_cast<i32>(wide + turn);
    return static_cast<i32>(wide);
  }
  return (a < b) == (op == Op::min) ? a : b;
}

template <class F, class Bits>
F from_bits(Bits bits) {
  F value;
  static_assert(sizeof value == sizeof bits);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

float the_nan(float) { return from_bits<float>(u32(0x7fc00000)); }
double the_nan(double) { return from_bits<double>(u64(0x7ff8000000000000)); }

template <class F>
F apply_float(Op op, F a, F b) {
  if (op == Op::sum) {
    volatile F sum = a + b;  // rounded to its type before anything else looks at it
    return std::isnan(sum) ? the_nan(F()) : F(sum);
  }
  if (std::isnan(a) || std::isnan(b)) return the_nan(F());
  const bool a_is_less = a == b ? std::signbit(a) && !std::signbit(b) : a < b;
  return a_is_less == (op == Op::min) ? a : b;
}
float apply(Op op, float a, float b) { return apply_float(op, a, b); }
double apply(Op op, double a, double b) { return apply_float(op, a, b); }

// C(a, b) = C(a, m) op C(m, b), m = a + the largest power of two below b - a.
template <class T>
T canonical(Op op, std::span<const T> values) {
  if (values.size() == 1) return values[0];
  std::size_t m = 1;
  while (2 * m < values.size()) m *= 2;
  return apply(op, canonical(op, values.first(m)), canonical(op, values.subspan(m)));
}

template <class T>
Bytes expected_of(Op op, const std::vector<Bytes>& operands) {
  Bytes out(operands[0].size());
  std::vector<T> values(operands.size());
  for (std::size_t at = 0; at < out.size(); at += sizeof(T)) {
    for (std::size_t k = 0; k < operands.size(); ++k) {
      std::memcpy(&values[k], operands[k].data() + at, sizeof(T));
    }
    const T result = canonical<T>(op, values);
    std::memcpy(out.data() + at, &result, sizeof(T));
  }
  return out;
}

}  // namespace

Bytes expected(DataType type, Op op, const std::vector<Bytes>& operands) {
  switch (type) {
    case DataType::uint8: return expected_of<u8>(op, operands);
    case DataType::int32: return expected_of<i32>(op, operands);
    case DataType::float32: return expected_of<float>(op, operands);
    case DataType::float64: return expected_of<double>(op, operands);
  }
  return {};
}

}  // namespace weft::host::test
