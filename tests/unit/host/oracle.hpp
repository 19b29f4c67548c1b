// The rules of reduction, one element at a time, written from base/datatype.hpp and the contract
// alone and sharing nothing with the kernels. Threads: pure functions.
#pragma once
#include <vector>

#include "base/datatype.hpp"

namespace weft::host::test {

using Bytes = std::vector<std::byte>;

// What a kernel must write, bit for bit. All operands have the same size.
Bytes expected(DataType type, Op op, const std::vector<Bytes>& operands);

}  // namespace weft::host::test
