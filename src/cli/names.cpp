#include "cli/names.hpp"

#include <algorithm>

#include "algorithms/table.hpp"
#include "cli/nearest.hpp"

namespace weft::cli {

using schedule::Kind;

Result<Kind> parse_kind(const std::string& text) {
  std::vector<std::string> names;
  for (Kind kind : schedule::all_kinds) {
    if (text == schedule::name_of(kind)) return kind;
    names.push_back(schedule::name_of(kind));
  }
  return fail(Code::invalid_argument, "there is no collective '{}'{}", text,
              did_you_mean(text, names));
}

Result<std::vector<Kind>> parse_kinds(const std::string& text) {
  if (text.empty())
    return std::vector<Kind>(std::begin(schedule::all_kinds), std::end(schedule::all_kinds));
  WEFT_ASSIGN(const Kind kind, parse_kind(text));
  return std::vector<Kind>{kind};
}

Status check_algorithm(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& row : algorithms::table()) names.emplace_back(row.name);
  const std::size_t slash = name.find('/');
  std::vector<std::string> parts{name.substr(0, slash)};
  if (slash != std::string::npos) parts.push_back(name.substr(slash + 1));
  for (const std::string& part : parts)
    if (std::find(names.begin(), names.end(), part) == names.end())
      return fail(Code::invalid_argument, "there is no algorithm '{}'{}", part,
                  did_you_mean(part, names));
  return {};
}

}  // namespace weft::cli
