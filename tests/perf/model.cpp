#include "model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>

namespace weft::model {
namespace {

struct Format {
  int mantissa, bias;
  bool infinity;
  std::size_t bytes;
};

const Format& format_of(weft_datatype_t type) {
  static const std::map<weft_datatype_t, Format> formats = {{weft_float16, {10, 15, true, 2}},
                                                            {weft_bfloat16, {7, 127, true, 2}},
                                                            {weft_float8_e4m3, {3, 7, false, 1}},
                                                            {weft_float8_e5m2, {2, 15, true, 1}}};
  return formats.at(type);
}

double decoded_narrow(const Format& format, std::uint32_t code) {
  const int top = static_cast<int>(8 * format.bytes) - 1;
  const bool negative = code >> top & 1;
  const auto magnitude = code & ((1u << top) - 1);
  const auto exponent = static_cast<int>(magnitude >> format.mantissa);
  const double fraction = std::ldexp(magnitude & ((1u << format.mantissa) - 1), -format.mantissa);
  const int last_exponent = (1 << (top - format.mantissa)) - 1;
  double value = exponent == 0 ? std::ldexp(fraction, 1 - format.bias)
                               : std::ldexp(1 + fraction, exponent - format.bias);
  if (format.infinity && exponent == last_exponent) value = fraction == 0 ? INFINITY : NAN;
  if (!format.infinity && magnitude == (1u << top) - 1) value = NAN;
  return negative ? -value : value;
}

// Every number of the type that is not negative, in order, up to one past the largest, which stands
// for overflow. The index is the code.
std::vector<double> ladder(const Format& format) {
  std::vector<double> steps;
  for (std::uint32_t code = 0;; ++code) {
    const double value = decoded_narrow(format, code);
    if (!std::isfinite(value)) break;
    steps.push_back(value);
  }
  steps.push_back(2 * steps.back() - steps[steps.size() - 2]);
  return steps;
}

const std::vector<double>& ladder_of(weft_datatype_t type) {
  static const std::map<weft_datatype_t, std::vector<double>> ladders = [] {
    std::map<weft_datatype_t, std::vector<double>> made;
    for (auto each : {weft_float16, weft_bfloat16, weft_float8_e4m3, weft_float8_e5m2})
      made[each] = ladder(format_of(each));
    return made;
  }();
  return ladders.at(type);
}

std::uint32_t encoded_narrow(weft_datatype_t type, double value) {
  const Format& format = format_of(type);
  const std::uint32_t sign = std::signbit(value) ? 1u << (8 * format.bytes - 1) : 0;
  const std::vector<double>& steps = ladder_of(type);
  const auto past = static_cast<std::uint32_t>(steps.size() - 1);  // infinity, or NaN
  if (std::isnan(value)) return format.infinity ? past + (1u << (format.mantissa - 1)) : past;
  value = std::abs(value);
  if (value >= steps.back()) return sign | past;
  const auto above = std::upper_bound(steps.begin(), steps.end(), value);
  const auto low = static_cast<std::uint32_t>(above - steps.begin() - 1);
  const double to_low = value - steps[low], to_high = steps[low + 1] - value;
  const bool up = to_high < to_low || (to_high == to_low && low % 2 == 1);
  return sign | (up ? low + 1 : low);
}

double rounded(weft_datatype_t type, double value) {
  if (type == weft_float64) return value;
  if (type == weft_float32) return static_cast<float>(value);
  return decoded_narrow(format_of(type), encoded_narrow(type, value));
}

std::int64_t wrapped(weft_datatype_t type, std::uint64_t value) {
  const int unused = 64 - 8 * static_cast<int>(bytes_of(type));
  value <<= unused;
  return is_signed(type) ? static_cast<std::int64_t>(value) >> unused
                         : static_cast<std::int64_t>(value >> unused);
}

bool is_less(weft_datatype_t type, const Value& a, const Value& b) {
  if (is_integer(type) && !is_signed(type))
    return static_cast<std::uint64_t>(a.whole) < static_cast<std::uint64_t>(b.whole);
  if (a.real == b.real) return a.whole < b.whole || std::signbit(a.real) > std::signbit(b.real);
  return a.real < b.real;
}

bool of_floats(weft_datatype_t type) {
  return is_float(type) || type == weft_float32_int32 || type == weft_float64_int32;
}

weft_datatype_t value_type(weft_datatype_t pair) {
  switch (pair) {
    case weft_float32_int32: return weft_float32;
    case weft_float64_int32: return weft_float64;
    case weft_int16_int32: return weft_int16;
    case weft_int32_int32: return weft_int32;
    default: return weft_int64;
  }
}

}  // namespace

std::size_t bytes_of(weft_datatype_t type) {
  constexpr std::size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1, 1, 2, 2, 8, 16, 8, 8, 16};
  return static_cast<std::size_t>(type) < std::size(sizes) ? sizes[type] : 0;
}
bool is_float(weft_datatype_t type) { return type >= weft_float16 && type <= weft_float8_e5m2; }
bool is_narrow(weft_datatype_t type) { return is_float(type) && bytes_of(type) < 4; }
bool is_pair(weft_datatype_t type) { return type >= weft_float32_int32; }
bool is_integer(weft_datatype_t type) {
  return !is_float(type) && !is_pair(type) && type != weft_bool;
}
bool is_signed(weft_datatype_t type) {
  return type == weft_int8 || type == weft_int16 || type == weft_int32 || type == weft_int64;
}

bool reduces(weft_datatype_t type, weft_op_t op) {
  const bool location = op == weft_minloc || op == weft_maxloc;
  if (is_pair(type) || location) return is_pair(type) && location;
  if (op >= weft_band && op <= weft_lxor) return !is_float(type);
  return type != weft_bool || (op != weft_avg && op != weft_avg_wide);
}

Value decoded(weft_datatype_t type, const std::byte* from) {
  Value value;
  if (is_pair(type)) {
    value = decoded(value_type(type), from);
    std::memcpy(&value.index, from + std::max<std::size_t>(bytes_of(value_type(type)), 4), 4);
  } else if (type == weft_float64) {
    std::memcpy(&value.real, from, 8);
  } else if (type == weft_float32) {
    float real;
    std::memcpy(&real, from, 4);
    value.real = real;
  } else {
    std::uint64_t code = 0;
    std::memcpy(&code, from, bytes_of(type));
    if (is_float(type))
      value.real = decoded_narrow(format_of(type), static_cast<std::uint32_t>(code));
    else
      value.whole = wrapped(type, code);
  }
  return value;
}

void encode(weft_datatype_t type, const Value& value, std::byte* to) {
  if (is_pair(type)) {
    std::memset(to, 0, bytes_of(type));
    encode(value_type(type), value, to);
    std::memcpy(to + std::max<std::size_t>(bytes_of(value_type(type)), 4), &value.index, 4);
  } else if (type == weft_float64) {
    std::memcpy(to, &value.real, 8);
  } else if (type == weft_float32) {
    const auto real = static_cast<float>(value.real);
    std::memcpy(to, &real, 4);
  } else {
    std::uint64_t code = static_cast<std::uint64_t>(value.whole);
    if (is_float(type)) code = encoded_narrow(type, value.real);
    std::memcpy(to, &code, bytes_of(type));
  }
}

Value combined(weft_datatype_t type, weft_op_t op, const Value& left, const Value& right) {
  const auto a = static_cast<std::uint64_t>(left.whole),
             b = static_cast<std::uint64_t>(right.whole);
  const auto of_bits = [&](std::uint64_t bits) { return Value{.whole = wrapped(type, bits)}; };
  const auto truth = [](bool is_true) { return Value{.whole = is_true ? 1 : 0}; };
  if (op == weft_max || op == weft_min) {
    const Value& best = is_less(type, left, right) == (op == weft_max) ? right : left;
    return type == weft_bool ? truth(op == weft_max ? a || b : a && b) : best;
  }
  if (op == weft_maxloc || op == weft_minloc) {
    const bool equal = of_floats(type) ? left.real == right.real : left.whole == right.whole;
    if (equal) return left.index <= right.index ? left : right;
    return is_less(type, left, right) == (op == weft_maxloc) ? right : left;
  }
  switch (op) {
    case weft_band: return type == weft_bool ? truth(a && b) : of_bits(a & b);
    case weft_bor: return type == weft_bool ? truth(a || b) : of_bits(a | b);
    case weft_bxor: return type == weft_bool ? truth(!a != !b) : of_bits(a ^ b);
    case weft_land: return truth(a && b);
    case weft_lor: return truth(a || b);
    case weft_lxor: return truth(!a != !b);
    case weft_prod:
      if (type == weft_bool) return truth(a && b);
      return is_float(type) ? Value{.real = rounded(type, left.real * right.real)} : of_bits(a * b);
    default: break;
  }
  if (type == weft_bool) return truth(a || b);
  return is_float(type) ? Value{.real = rounded(type, left.real + right.real)} : of_bits(a + b);
}

Value multiplied(weft_datatype_t type, const Value& value, const Value& scalar) {
  return combined(type, weft_prod, value, scalar);
}

weft_datatype_t combining_type(weft_datatype_t type, weft_op_t op) {
  const bool wide = op == weft_sum_wide || op == weft_avg_wide;
  return wide && is_narrow(type) ? weft_float32 : type;
}

Value finished(weft_datatype_t type, weft_op_t op, const Value& reduced, int ranks) {
  if (op != weft_avg && op != weft_avg_wide) return reduced;
  if (type == weft_float64) return {.real = reduced.real / ranks};
  if (is_float(type)) return {.real = static_cast<float>(reduced.real) / static_cast<float>(ranks)};
  if (is_signed(type)) return {.whole = reduced.whole / ranks};
  return {.whole = static_cast<std::int64_t>(static_cast<std::uint64_t>(reduced.whole) / ranks)};
}

}  // namespace weft::model
