#include "tests/unit/host/narrow_oracle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace weft::host::test {

NarrowFormat format_of(DataType type) {
  switch (type) {
    case DataType::float16: return {5, 10, true, 0x7e00};
    case DataType::bfloat16: return {8, 7, true, 0x7fc0};
    case DataType::float8_e4m3: return {4, 3, false, 0x7f};
    default: return {5, 2, true, 0x7e};  // float8_e5m2
  }
}

namespace {

// By the definition of binary formats, with no code that is special.
double number_of(const NarrowFormat& format, u32 magnitude) {
  const int fraction = int(magnitude & ((1u << format.mantissa_bits) - 1));
  const int exponent = int(magnitude >> format.mantissa_bits);
  const int one = 1 << format.mantissa_bits;
  const int scale = (exponent == 0 ? 1 : exponent) - format.bias() - format.mantissa_bits;
  return std::ldexp(exponent == 0 ? fraction : one + fraction, scale);
}

}  // namespace

const std::vector<double>& magnitudes(DataType type) {
  static const auto tables = [] {
    std::array<std::vector<double>, all_types.size()> made;
    for (DataType each : all_types) {
      if (!is_narrow(each)) continue;
      const NarrowFormat format = format_of(each);
      for (u32 code = 0; code <= format.special(); ++code) {
        made[std::size_t(each)].push_back(number_of(format, code));
      }
    }
    return made;
  }();
  return tables[std::size_t(type)];
}

double decode(DataType type, u32 code) {
  const NarrowFormat format = format_of(type);
  const u32 magnitude = code & (format.sign() - 1);
  double value = std::numeric_limits<double>::quiet_NaN();
  if (magnitude < format.special()) value = magnitudes(type)[magnitude];
  if (magnitude == format.special() && format.has_infinity) {
    value = std::numeric_limits<double>::infinity();
  }
  return code & format.sign() ? -value : value;
}

u32 encode(DataType type, double value) {
  const NarrowFormat format = format_of(type);
  if (std::isnan(value)) return format.nan;
  const std::vector<double>& table = magnitudes(type);
  const double magnitude = std::abs(value);
  const auto above = std::lower_bound(table.begin(), table.end(), magnitude);
  auto code = u32(above - table.begin());
  if (above == table.end()) {
    code = format.special();
  } else if (*above != magnitude) {
    const double to_above = *above - magnitude, to_below = magnitude - *(above - 1);
    if (to_below < to_above || (to_below == to_above && code % 2 == 1)) --code;
  }
  if (code == format.special() && !format.has_infinity) return format.nan;
  return std::signbit(value) ? code | format.sign() : code;
}

}  // namespace weft::host::test
