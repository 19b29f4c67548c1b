#include "base/datatype.hpp"

namespace weft {

const char* name_of(DataType type) {
  switch (type) {
    case DataType::uint8: return "uint8";
    case DataType::int32: return "int32";
    case DataType::float32: return "float";
    case DataType::float64: return "double";
  }
  return "unknown";
}

const char* name_of(Op op) {
  switch (op) {
    case Op::sum: return "sum";
    case Op::min: return "min";
    case Op::max: return "max";
  }
  return "unknown";
}

}  // namespace weft
