// Names on the command line: kinds, algorithms, shapes. Errors name the nearest that exists.
// Threads: pure.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "schedule/collective.hpp"
#include "schedule/shape.hpp"

namespace weft::cli {

Result<schedule::Kind> parse_kind(const std::string& text);
// One kind, or all of them for an empty text.
Result<std::vector<schedule::Kind>> parse_kinds(const std::string& text);
// Is there such an algorithm, flat or INTRA/INTER, whatever it can do?
Status check_algorithm(const std::string& name);

}  // namespace weft::cli
