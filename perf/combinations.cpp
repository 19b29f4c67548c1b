#include "perf/combinations.hpp"

#include "perf/formats.hpp"

namespace weft::perf {
namespace {

template <class Entry, class Wanted>
std::string names_of(std::span<const Entry> table, Wanted&& wanted) {
  std::string names;
  for (const Entry& entry : table)
    if (wanted(entry)) names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
  return names;
}

bool is_wide(const Operator& op) { return op.op == weft_sum_wide || op.op == weft_avg_wide; }

}  // namespace

bool goes_with(const Operator& op, const ElementType& type) {
  // Whatever can be divided is a number, and can be multiplied.
  return weft_reduces(type.type, op.premultiplied ? weft_avg : op.op) != 0;
}

bool is_walked(const Options& options, const ElementType& type, const Operator& op) {
  if (!goes_with(op, type)) return false;
  return options.operators.size() == 1 || !is_wide(op) || is_narrow(type.type);
}

Status go_together(const Options& options) {
  for (const ElementType& type : options.types)
    for (const Operator& op : options.operators)
      if (is_walked(options, type, op)) return {};
  const ElementType& type = options.types.front();
  const Operator& op = options.operators.front();
  return fail(
      Exit::bad_argument,
      "operator '{}' means nothing for elements of type '{}': {} takes {}; {} is for {}", op.name,
      type.name, type.name,
      names_of(operators(), [&](const Operator& other) { return goes_with(other, type); }), op.name,
      names_of(element_types(), [&](const ElementType& other) { return goes_with(op, other); }));
}

}  // namespace weft::perf
