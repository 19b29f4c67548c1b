#include "base/datatype.hpp"

#include <iterator>

namespace weft {

namespace {
constexpr const char* type_names[] = {"int8",      "uint8",      "int32",     "uint32", "int64",
                                      "uint64",    "half",       "float",     "double", "bfloat16",
                                      "f8e4m3",    "f8e5m2",     "bool",      "int16",  "uint16",
                                      "float_int", "double_int", "short_int", "2int",   "long_int"};
static_assert(std::size(type_names) == all_types.size());
constexpr const char* op_names[] = {"sum",  "prod", "max", "min",  "avg",    "band",  "bor",
                                    "bxor", "land", "lor", "lxor", "minloc", "maxloc"};
static_assert(std::size(op_names) == all_ops.size());
}  // namespace

const char* name_of(DataType type) {
  return u32(type) < all_types.size() ? type_names[u32(type)] : "unknown";
}

const char* name_of(Op op) { return u32(op) < all_ops.size() ? op_names[u32(op)] : "unknown"; }

}  // namespace weft
