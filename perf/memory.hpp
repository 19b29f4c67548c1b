// How much memory the node can still give, and the largest message that fits it on all ranks.
//
// A container's limit counts as much as the machine's: exceeding either ends in a killed process,
// not in an error. Threads: pure but for the files they read.
#pragma once
#include <cstddef>
#include <filesystem>

namespace weft::perf {

// Bytes: the least of MemAvailable and, for this process's control group and all above it, limit
// minus use (version 2 and version 1; pages of files count as free). The paths are there for tests.
std::size_t available_memory(const std::filesystem::path& proc = "/proc",
                             const std::filesystem::path& cgroup = "/sys/fs/cgroup");

// Largest message in bytes when `ranks` ranks share `available` bytes, each with two buffers of
// that size (results are checked without a third). One GiB in sixteen, at most four, and one for
// the library stay free, as in nccl-tests, but never more than a quarter.
std::size_t largest_message(std::size_t available, std::size_t ranks);

// Bytes this process holds in memory now; 0 where the system does not say.
std::size_t resident_memory();

}  // namespace weft::perf
