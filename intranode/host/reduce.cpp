#include "intranode/host/reduce.hpp"

#include <hwy/targets.h>

#include "intranode/host/families.hpp"

namespace weft::host {

ReduceFunction reduce_function(DataType type, Op op) {
  if (!supports(type, op)) return nullptr;
  const Op kernel = op == Op::avg ? Op::sum : op;
  switch (family_of(type)) {
    case Family::integer:
    case Family::boolean: return integer_function(type, kernel);
    case Family::floating:
      return is_narrow(type) ? narrow_function(type, kernel) : float_function(type, kernel);
    case Family::pair: return pair_function(type, kernel);
  }
  return nullptr;
}

}  // namespace weft::host
