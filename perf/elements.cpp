#include "perf/elements.hpp"

#include <array>

namespace weft::perf {
namespace {

constexpr auto types = std::to_array<ElementType>({
    {"int8", weft_int8, 1},
    {"uint8", weft_uint8, 1},
    {"int32", weft_int32, 4},
    {"uint32", weft_uint32, 4},
    {"int64", weft_int64, 8},
    {"uint64", weft_uint64, 8},
    {"half", weft_float16, 2},
    {"float", weft_float32, 4},
    {"double", weft_float64, 8},
    {"bfloat16", weft_bfloat16, 2},
    {"f8e4m3", weft_float8_e4m3, 1},
    {"f8e5m2", weft_float8_e5m2, 1},
    // Ours. Pairs are named as MPI's types.
    {"bool", weft_bool, 1},
    {"int16", weft_int16, 2},
    {"uint16", weft_uint16, 2},
    {"float_int", weft_float32_int32, 8},
    {"double_int", weft_float64_int32, 16},
    {"short_int", weft_int16_int32, 8},
    {"2int", weft_int32_int32, 8},
    {"long_int", weft_int64_int32, 16},
});

constexpr auto ops = std::to_array<Operator>({
    {"sum", weft_sum},
    {"prod", weft_prod},
    {"max", weft_max},
    {"min", weft_min},
    {"avg", weft_avg},
    {"mulsum", weft_sum, true},
    // Ours.
    {"band", weft_band},
    {"bor", weft_bor},
    {"bxor", weft_bxor},
    {"land", weft_land},
    {"lor", weft_lor},
    {"lxor", weft_lxor},
    {"minloc", weft_minloc},
    {"maxloc", weft_maxloc},
    {"sum_wide", weft_sum_wide},
    {"avg_wide", weft_avg_wide},
});

template <class Entry>
std::span<const Entry> named(std::span<const Entry> table, const Entry& fallback, const char* kind,
                             std::string_view name, std::string& note) {
  if (name == "all") return table;
  for (const Entry& entry : table)
    if (entry.name == name) return std::span(&entry, 1);
  note = fmt::format("invalid {} {}, defaulting to {} .. ", kind, name, fallback.name);
  return std::span(&fallback, 1);
}

}  // namespace

std::span<const ElementType> element_types() { return types; }
std::span<const Operator> operators() { return ops; }
const ElementType& default_type() { return types[7]; }
const Operator& default_operator() { return ops[0]; }
const Operator& no_operator() {
  static constexpr Operator none = {"none", weft_sum};
  return none;
}

std::size_t element_bytes(weft_datatype_t type) {
  for (const ElementType& entry : types)
    if (entry.type == type) return entry.bytes;
  return 0;
}

std::span<const ElementType> types_named(std::string_view name, std::string& note) {
  return named<ElementType>(types, default_type(), "type", name, note);
}

std::span<const Operator> operators_named(std::string_view name, std::string& note) {
  return named<Operator>(ops, default_operator(), "op", name, note);
}

}  // namespace weft::perf
