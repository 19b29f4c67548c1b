#include "perf/colour.hpp"

#include <strings.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace weft::perf {
namespace {

std::optional<int> number(const char* text) {
  while (std::isspace(static_cast<unsigned char>(*text))) ++text;
  const bool binary = strncasecmp(text, "0b", 2) == 0;
  const char* digits = binary ? text + 2 : text;
  char* rest = nullptr;
  const unsigned long value = std::strtoul(digits, &rest, binary ? 2 : 0);
  if (rest == digits) return std::nullopt;
  return static_cast<int>(value);
}

}  // namespace

int colour_of(int process, const char* split_mask, const char* split) {
  if (split_mask) return process & static_cast<int>(std::strtoul(split_mask, nullptr, 16));
  if (!split) return 0;
  constexpr struct {
    const char* word;
    char rule;
  } rules[] = {{"AND", '&'}, {"&", '&'}, {"OR", '|'},  {"|", '|'},
               {"MOD", '%'}, {"%", '%'}, {"DIV", '/'}, {"/", '/'}};
  for (const auto& [word, rule] : rules) {
    if (strncasecmp(split, word, std::strlen(word)) != 0) continue;
    const auto value = number(split + std::strlen(word));
    if (!value || (*value == 0 && (rule == '%' || rule == '/'))) return 0;
    switch (rule) {
      case '&': return process & *value;
      case '|': return process | *value;
      case '%': return process % *value;
      default: return process / *value;
    }
  }
  return 0;
}

}  // namespace weft::perf
