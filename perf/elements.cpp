#include "perf/elements.hpp"

#include <algorithm>
#include <array>

namespace weft::perf {
namespace {

constexpr std::array<ElementType, 4> types = {{{"uint8", weft_uint8, 1},
                                               {"int32", weft_int32, 4},
                                               {"float", weft_float32, 4},
                                               {"double", weft_float64, 8}}};
constexpr std::array<Operator, 3> ops = {{{"sum", weft_sum}, {"max", weft_max}, {"min", weft_min}}};

constexpr std::array<std::string_view, 8> types_elsewhere = {
    "int8", "uint32", "int64", "uint64", "half", "bfloat16", "f8e4m3", "f8e5m2"};
constexpr std::array<std::string_view, 3> ops_elsewhere = {"prod", "avg", "mulsum"};

template <class Entry>
std::string names_of(std::span<const Entry> table) {
  std::string names;
  for (const Entry& entry : table)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
  return names;
}

template <class Entry>
Result<std::span<const Entry>> named(std::span<const Entry> table,
                                     std::span<const std::string_view> elsewhere,
                                     const Entry& fallback, const char* short_kind,
                                     const char* kind, std::string_view name, std::string& note) {
  if (name == "all") return table;
  for (const Entry& entry : table)
    if (entry.name == name) return std::span(&entry, 1);
  if (std::ranges::find(elsewhere, name) != elsewhere.end())
    return fail(Exit::bad_argument, "{} '{}' is not yet supported; there are {} and all", kind,
                name, names_of(table));
  note = fmt::format("invalid {} {}, defaulting to {} .. ", short_kind, name, fallback.name);
  return std::span(&fallback, 1);
}

}  // namespace

std::span<const ElementType> element_types() { return types; }
std::span<const Operator> operators() { return ops; }
const ElementType& default_type() { return types[2]; }
const Operator& default_operator() { return ops[0]; }
const Operator& no_operator() {
  static constexpr Operator none = {"none", weft_sum};
  return none;
}

Result<std::span<const ElementType>> types_named(std::string_view name, std::string& note) {
  return named<ElementType>(types, types_elsewhere, default_type(), "type", "datatype", name, note);
}

Result<std::span<const Operator>> operators_named(std::string_view name, std::string& note) {
  return named<Operator>(ops, ops_elsewhere, default_operator(), "op", "operator", name, note);
}

}  // namespace weft::perf
