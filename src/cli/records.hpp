// `weft verify --file` and `--trace`: what others wrote, read and checked.
// Threads: one.
#pragma once
#include <string>
#include <vector>

#include "base/result.hpp"

namespace weft::cli {

// Each prints what it found and returns the exit code; an error is a file that cannot be read.
Result<int> prove_file(const std::string& path);
// Files or folders of them, with folders in them; those of one folder are the ranks of one
// communicator.
Result<int> prove_traces(const std::vector<std::string>& paths);

}  // namespace weft::cli
