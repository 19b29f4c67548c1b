// What two ranks must share to run the same schedules.
#pragma once
#include <string>

namespace weft::runtime {

// The library's version and a digest of what its generators yield for all node shapes of few ranks
// (digest_schedules.cpp), so that ranks of two builds whose schedules differ refuse to work
// together.
const std::string& version_text();

const char* schedules_digest();  // 16 hex digits, made by the build

}  // namespace weft::runtime
