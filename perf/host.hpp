// Which machine this is. Threads: pure functions but for the files they read.
#pragma once
#include <cstdint>
#include <string>

namespace weft::perf {

std::string host_name();  // up to the first dot

// Equal on processes that share a kernel and a host name, so that containers count as machines.
std::uint64_t host_hash();

}  // namespace weft::perf
