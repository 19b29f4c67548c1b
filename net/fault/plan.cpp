// WEFT_FAULT, from text to rules:
//
//   RULE[;RULE...]
//   RULE       WHERE:FAULT[,CONDITION...]
//   WHERE      loopback | shm | tcp | all
//   FAULT      rate=BYTES | delay=TIME | drop | corrupt | close | silence | freeze | kill
//   CONDITION  rank=RANGE | peer=RANGE | operation=RANGE | message=RANGE | byte=N | chance=P |
//   seed=N RANGE      N | N-M | N-
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/bytes.hpp"
#include "base/config.hpp"
#include "net/fault/fault.hpp"
#include "net/fault/rate.hpp"

namespace weft::fault {
namespace {

constexpr std::array kinds{Kind::rate,  Kind::delay,   Kind::drop,   Kind::corrupt,
                           Kind::close, Kind::silence, Kind::freeze, Kind::kill};
constexpr std::string_view conditions[] = {"rank", "peer",   "operation", "message",
                                           "byte", "chance", "seed"};

template <class... Args>
tl::unexpected<Error> wrong(std::string_view part, fmt::format_string<Args...> why,
                            Args&&... args) {
  return fail(Code::invalid_argument,
              "{}: in '{}': {}; write TRANSPORT:FAULT[,CONDITION...], several separated by ';', as "
              "in tcp:rate=100M;all:kill,rank=2,operation=5 (docs/faults.md has them all)",
              config::fault.name, part, fmt::format(why, std::forward<Args>(args)...));
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

struct Word {
  std::string_view name;
  std::optional<std::string_view> value;
  explicit Word(std::string_view text) : name(text.substr(0, text.find('='))) {
    if (name.size() < text.size()) value = text.substr(name.size() + 1);
  }
};

Result<u64> rate_in(std::string_view part, std::string_view value) {
  const std::optional<u64> bytes = parse_bytes(value);
  if (!bytes || *bytes == 0 || *bytes > Rate::most)
    return wrong(part, "'{}' is not a number of bytes per second from 1 to 16G (K, M, G allowed)",
                 value);
  return *bytes;
}

// "20ms": of a unit that is said, since 5 could be anything.
Result<Duration> time_in(std::string_view part, std::string_view value) {
  u64 number = 0;
  const char* const end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  const std::string_view unit(rest, std::size_t(end - rest));
  const u64 nanoseconds = unit == "us" ? 1'000 : unit == "ms" ? 1'000'000 : 1'000'000'000;
  if (error != std::errc() || (unit != "us" && unit != "ms" && unit != "s") || number == 0 ||
      number > 1'000'000'000)
    return wrong(part, "'{}' is not a time as 50us, 20ms or 2s", value);
  return Duration(i64(number * nanoseconds));
}

Result<u64> number_in(std::string_view part, std::string_view name, std::string_view value) {
  const std::optional<u64> number = parse_bytes(value);
  if (!number) return wrong(part, "{}={} is not a whole number (K, M, G allowed)", name, value);
  return *number;
}

Result<Range> range_in(std::string_view part, const Word& word, u64 least) {
  const std::string_view value = *word.value;
  const std::size_t dash = value.find('-');
  Range range;
  WEFT_ASSIGN(range.first, number_in(part, word.name, value.substr(0, dash)));
  range.last = range.first;
  if (dash != value.npos) {
    range.last = ~u64{0};
    if (dash + 1 < value.size()) {
      WEFT_ASSIGN(range.last, number_in(part, word.name, value.substr(dash + 1)));
    }
  }
  if (range.first < least || range.last < range.first)
    return wrong(part, "{}={} is not N, N-M or N- with numbers from {} up", word.name, value,
                 least);
  return range;
}

Result<double> chance_in(std::string_view part, std::string_view value) {
  double chance = 0;
  const char* const end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, chance);
  if (error != std::errc() || rest != end || !(chance > 0 && chance <= 1))
    return wrong(part, "chance={} is not a probability above 0 and at most 1", value);
  return chance;
}

template <class T>
Status store(T& to, Result<T> value) {
  WEFT_ASSIGN(to, std::move(value));
  return {};
}

Status set_fault(Rule& rule, std::string_view part, const Word& word) {
  const auto kind =
      std::ranges::find_if(kinds, [&](Kind each) { return word.name == name_of(each); });
  if (kind == kinds.end()) {
    std::vector<const char*> names;
    for (const Kind each : kinds) names.push_back(name_of(each));
    return wrong(part, "there is no fault '{}', only {}", word.name, fmt::join(names, ", "));
  }
  rule.kind = *kind;
  const bool takes_value = rule.kind == Kind::rate || rule.kind == Kind::delay;
  if (takes_value != word.value.has_value())
    return wrong(part, "{} {}", word.name, takes_value ? "has no value" : "takes no value");
  if (rule.kind == Kind::rate) return store(rule.rate, rate_in(part, *word.value));
  if (rule.kind == Kind::delay) return store(rule.delay, time_in(part, *word.value));
  return {};
}

Status add_condition(Rule& rule, std::string_view part, const Word& word) {
  const std::string_view name = word.name;
  if (std::ranges::find(conditions, name) == std::end(conditions))
    return wrong(part, "there is no condition '{}', only {}", name, fmt::join(conditions, ", "));
  if (!word.value) return wrong(part, "{} has no value", name);
  if (rule.kind == Kind::rate && name != "rank")
    return wrong(part, "rate is of all that a transport sends: of the conditions it knows rank");
  if (name == "rank") return store(rule.ranks, range_in(part, word, 0));
  if (name == "peer") return store(rule.peers, range_in(part, word, 0));
  if (name == "operation") return store(rule.operations, range_in(part, word, 0));
  if (name == "message") return store(rule.messages, range_in(part, word, 1));
  if (name == "chance") return store(rule.chance, chance_in(part, *word.value));
  WEFT_ASSIGN(const u64 number, number_in(part, name, *word.value));
  if (name == "seed")
    rule.seed = number;
  else
    rule.at = number;
  return {};
}

Result<Rule> rule_in(std::string_view part, std::string_view text) {
  Rule rule{.text = std::string(text)};
  std::vector<std::string_view> seen;
  for (const std::string_view piece : split(text, ',')) {
    const Word word(piece);
    if (std::ranges::count(seen, word.name)) return wrong(part, "{} is given twice", word.name);
    WEFT_TRY(seen.empty() ? set_fault(rule, part, word) : add_condition(rule, part, word));
    seen.push_back(word.name);
  }
  return rule;
}

}  // namespace

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::rate: return "rate";
    case Kind::delay: return "delay";
    case Kind::drop: return "drop";
    case Kind::corrupt: return "corrupt";
    case Kind::close: return "close";
    case Kind::silence: return "silence";
    case Kind::freeze: return "freeze";
    case Kind::kill: return "kill";
  }
  return "unknown";
}

Result<Plan> Plan::parse(std::string_view text, const std::vector<std::string>& transports) {
  Plan plan;
  if (text.empty()) return plan;
  for (const std::string_view part : split(text, ';')) {
    const std::size_t colon = part.find(':');
    const std::string name(part.substr(0, colon));
    if (name != "all" && std::ranges::find(transports, name) == transports.end())
      return wrong(part, "there is no transport '{}', only {} and all", name,
                   fmt::join(transports, ", "));
    if (colon == part.npos) return wrong(part, "nothing is said of {}", name);
    WEFT_ASSIGN(Rule rule, rule_in(part, part.substr(colon + 1)));
    plan.rules_.push_back({name, std::move(rule)});
  }
  return plan;
}

Rules Plan::rules(std::string_view transport, u32 rank) const {
  Rules rules;
  for (const Placed& placed : rules_)
    if ((placed.transport == "all" || placed.transport == transport) &&
        placed.rule.ranks.holds(rank))
      rules.push_back(placed.rule);
  return rules;
}

}  // namespace weft::fault
