// What differs between ranks, with those in the minority first: they are the ones to look at.
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/config.hpp"
#include "runtime/manifest.hpp"

namespace weft::runtime {
namespace {

using ValueOf = std::function<std::string(const Manifest&)>;

std::string ranks_text(const std::vector<std::size_t>& ranks) {
  const std::size_t shown = std::min<std::size_t>(ranks.size(), 8);
  std::string text = fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s",
                                 fmt::join(ranks.begin(), ranks.begin() + i64(shown), ", "));
  if (shown < ranks.size()) text += fmt::format(" and {} more", ranks.size() - shown);
  return text;
}

// `WEFT_RAILS differs: "2" on rank 3 (node7), "1" on ranks 0, 1, 2 (node5)`; empty: all agree.
std::string minority_of(const std::string& key, const std::vector<Manifest>& ranks,
                        const ValueOf& value_of) {
  std::map<std::string, std::vector<std::size_t>> by_value;
  for (std::size_t r = 0; r < ranks.size(); ++r) by_value[value_of(ranks[r])].push_back(r);
  if (by_value.size() < 2) return {};
  std::vector<std::pair<std::string, std::vector<std::size_t>>> groups(by_value.begin(),
                                                                       by_value.end());
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  std::vector<std::string> parts;
  for (const auto& [value, who] : groups)
    parts.push_back(
        fmt::format("\"{}\" on {} ({})", value, ranks_text(who), ranks[who.front()].host_name));
  return fmt::format("{} differs: {}", key, fmt::join(parts, ", "));
}

// Of ranks that are threads of one process, or of one host, these are their own affair.
const std::set<std::string>& of_each_rank() {
  static const std::set<std::string> names = {
      config::node.name,        config::unique_id.name,  config::secret.name,
      config::secret_file.name, config::algorithm.name,  config::order.name,
      config::rails.name,       config::transport.name,  config::frames.name,
      config::slots.name,       config::slot_bytes.name, config::slice_bytes.name,
      config::integrity.name};  // the latter are compared as values
  return names;
}

bool matters(const std::string& name) {
  return name == config::timeout.name || name == config::heartbeat_timeout.name ||
         name == config::progress.name;
}

std::string limit_text(decltype(RLIMIT_NOFILE) which) {
  rlimit limit{};
  if (::getrlimit(which, &limit) != 0) return "unknown";
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur);
}

std::string value_in(const std::map<std::string, std::string>& all, const std::string& key) {
  const auto at = all.find(key);
  return at == all.end() ? std::string() : at->second;
}

}  // namespace

void tell_surroundings(Manifest& mine) {
  for (const config::Variable* variable : config::all())
    if (config::is_set(*variable) && !of_each_rank().contains(variable->name))
      mine.environment[variable->name] = config::text(*variable);
  utsname system{};
  if (::uname(&system) == 0) {
    mine.facts["the kernel"] = system.release;
    mine.facts["the machine"] = system.machine;
  }
  tell_libraries(mine.facts);
  mine.facts["the limit of open files (ulimit -n)"] = limit_text(RLIMIT_NOFILE);
  mine.facts["the limit of locked memory (ulimit -l)"] = limit_text(RLIMIT_MEMLOCK);
}

Status agree(const std::vector<Manifest>& ranks) {
  const std::pair<const char*, ValueOf> keys[] = {
      {"library version and schedules", [](const Manifest& m) { return m.version; }},
      {"WEFT_ALGORITHM", [](const Manifest& m) { return m.algorithm; }},
      {"WEFT_ORDER", [](const Manifest& m) { return m.order; }},
      {"WEFT_RAILS", [](const Manifest& m) { return std::to_string(m.rails); }},
      {"WEFT_TRANSPORT", [](const Manifest& m) { return m.transport; }},
      {"WEFT_FRAMES", [](const Manifest& m) { return std::to_string(m.frames); }},
      {"WEFT_SLOTS", [](const Manifest& m) { return std::to_string(m.slots); }},
      {"WEFT_SLOT_BYTES", [](const Manifest& m) { return std::to_string(m.slot_bytes); }},
      {"WEFT_INTEGRITY", [](const Manifest& m) { return std::to_string(m.integrity); }},
      {"WEFT_SLICE_BYTES", [](const Manifest& m) { return std::to_string(m.slice_bytes); }},
  };
  std::vector<std::string> found;
  for (const auto& [key, value_of] : keys)
    if (std::string text = minority_of(key, ranks, value_of); !text.empty())
      found.push_back(std::move(text));
  if (found.empty()) return {};
  return fail(Code::mismatch, "{}: make {} equal on all ranks", fmt::join(found, "; "),
              found.size() == 1 ? "it" : "them");
}

std::vector<Difference> differences(const std::vector<Manifest>& ranks) {
  std::set<std::string> variables, facts;
  for (const Manifest& rank : ranks) {
    for (const auto& [name, value] : rank.environment) variables.insert(name);
    for (const auto& [name, value] : rank.facts) facts.insert(name);
  }
  std::vector<Difference> found;
  const auto look = [&](const std::string& key, bool important, const ValueOf& value_of) {
    if (std::string text = minority_of(key, ranks, value_of); !text.empty())
      found.push_back({std::move(text), important});
  };
  for (const std::string& name : variables)
    look(name, matters(name), [&](const Manifest& m) { return value_in(m.environment, name); });
  for (const std::string& name : facts)
    look(name, false, [&](const Manifest& m) { return value_in(m.facts, name); });
  return found;
}

}  // namespace weft::runtime
