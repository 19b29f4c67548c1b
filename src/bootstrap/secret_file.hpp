// The job's secret in a file that only its owner can read.
//
// Threads: pure function of the file system.
#pragma once
#include <string>

#include "base/result.hpp"

namespace weft::bootstrap {

// Its text, without the line's end. invalid_argument: it is no regular file, others may read or
// write it or its group may write it, it is not of this user or of root, it is empty or longer than
// 4 KiB. system_error: it cannot be read.
Result<std::string> read_secret_file(const std::string& path);

}  // namespace weft::bootstrap
