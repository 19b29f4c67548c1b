// Element types and operators under the names nccl-tests gives them, in its order, and after them
// those that only Weft has.
//
// A name nobody knows takes the default with a line, as in nccl-tests. Lifetime: the tables are
// constants. Threads: any.
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
  // "mulsum": made for each communicator, by a scalar of each rank; `op` is the sum it comes to.
  bool premultiplied = false;
};

std::span<const ElementType> element_types();
std::span<const Operator> operators();
const ElementType& default_type();   // float
const Operator& default_operator();  // sum
const Operator& no_operator();       // "none": the collective only moves data
std::size_t element_bytes(weft_datatype_t type);

// "all" gives the whole table, a name its entry. An unknown name gives the default and says so in
// `note`.
std::span<const ElementType> types_named(std::string_view name, std::string& note);
std::span<const Operator> operators_named(std::string_view name, std::string& note);

}  // namespace weft::perf
