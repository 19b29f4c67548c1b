// Element types and operators under the names nccl-tests gives them, in its order.
//
// A name of nccl-tests that the library does not have yet is told apart from a name nobody knows:
// the first stops the run, the second takes the default with a line, as nccl-tests does.
// Lifetime: the tables are constants. Threads: any.
#pragma once
#include <weft/weft.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "perf/outcome.hpp"

namespace weft::perf {

struct ElementType {
  const char* name;
  weft_datatype_t type;
  std::size_t bytes;
};

struct Operator {
  const char* name;
  weft_op_t op;
};

std::span<const ElementType> element_types();
std::span<const Operator> operators();
const ElementType& default_type();   // float
const Operator& default_operator();  // sum
const Operator& no_operator();       // "none": the collective only moves data

// "all" gives the whole table, a name its entry. An unknown name gives the default and says so in
// `note`; a name that only nccl-tests has is a failure that lists ours.
Result<std::span<const ElementType>> types_named(std::string_view name, std::string& note);
Result<std::span<const Operator>> operators_named(std::string_view name, std::string& note);

}  // namespace weft::perf
