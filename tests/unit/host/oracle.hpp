// The rules of reductions and maps, one element at a time, written from the headers of
// intranode/host alone and sharing nothing with the kernels. Threads: pure functions.
#pragma once
#include <vector>

#include "base/datatype.hpp"

namespace weft::host::test {

using Bytes = std::vector<std::byte>;

// What a kernel must write, bit for bit. All operands have the same size.
Bytes expected(DataType type, Op op, const std::vector<Bytes>& operands);

// The same for maps. `scalar` is one element; n is at least 1.
Bytes expected_product(DataType type, const Bytes& values, const Bytes& scalar);
Bytes expected_quotient(DataType type, const Bytes& values, u64 n);

}  // namespace weft::host::test
