// WEFT_FAULT, from text to rules.
#include <fmt/ranges.h>

#include <algorithm>

#include "base/bytes.hpp"
#include "base/config.hpp"
#include "net/fault/fault.hpp"
#include "net/fault/rate.hpp"

namespace weft::fault {
namespace {

template <class... Args>
tl::unexpected<Error> wrong(std::string_view part, fmt::format_string<Args...> why,
                            Args&&... args) {
  return fail(Code::invalid_argument, "{}: in '{}': {}; write TRANSPORT:rate=BYTES, as in {}",
              config::fault.name, part, fmt::format(why, std::forward<Args>(args)...),
              "tcp:rate=100M;shm:rate=1G");
}

// The parts of a text between separators.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

Result<u64> bytes_in(std::string_view part, std::string_view value) {
  const std::optional<u64> bytes = parse_bytes(value);
  if (!bytes || *bytes == 0 || *bytes > Rate::most)
    return wrong(part, "'{}' is not a number of bytes per second from 1 to 16G (K, M, G allowed)",
                 value);
  return *bytes;
}

Status add_policy(Rules& rules, std::string_view part, std::string_view policy) {
  const std::size_t equals = policy.find('=');
  const std::string_view name = policy.substr(0, equals);
  if (name != "rate") return wrong(part, "there is no fault '{}', only rate", name);
  if (equals == policy.npos) return wrong(part, "rate has no value");
  if (rules.rate) return wrong(part, "rate is given twice");
  WEFT_ASSIGN(rules.rate, bytes_in(part, policy.substr(equals + 1)));
  return {};
}

}  // namespace

std::string Rules::text() const { return rate ? fmt::format("rate={}", rate) : "none"; }

Result<Plan> Plan::parse(std::string_view text, const std::vector<std::string>& transports) {
  Plan plan;
  if (text.empty()) return plan;
  for (const std::string_view part : split(text, ';')) {
    const std::size_t colon = part.find(':');
    const std::string name(part.substr(0, colon));
    if (std::find(transports.begin(), transports.end(), name) == transports.end())
      return wrong(part, "there is no transport '{}', only {}", name, fmt::join(transports, ", "));
    if (colon == part.npos) return wrong(part, "nothing is said of {}", name);
    if (plan.rules(name).any()) return wrong(part, "{} is given twice", name);
    Rules rules;
    for (const std::string_view policy : split(part.substr(colon + 1), ','))
      WEFT_TRY(add_policy(rules, part, policy));
    plan.rules_.emplace_back(name, rules);
  }
  return plan;
}

Rules Plan::rules(std::string_view transport) const {
  for (const auto& [name, rules] : rules_)
    if (name == transport) return rules;
  return {};
}

}  // namespace weft::fault
