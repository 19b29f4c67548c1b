#include "control/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::control {

using nlohmann::json;

std::string hex(u64 id) { return fmt::format("{:016x}", id); }

static json as_json(const Entry& entry, const Members& members) {
  json made{{"rank", entry.rank},
            {"calls_made", entry.made},
            {"calls_done", entry.done},
            {"seconds_since", double(entry.age_ms) / 1e3},
            {"in_operation", entry.made != entry.done},
            {"driven", entry.driven}};
  if (entry.rank < members.size()) made["process"] = members[entry.rank];
  if (!entry.called.empty()) {
    made["call"] = entry.call;
    made["operation"] = entry.called;
  }
  if (!entry.peers.empty()) made["waits_for_ranks"] = entry.peers;
  if (!entry.waits.empty()) made["waits"] = entry.waits;
  return made;
}

json as_json(const Survey& survey) {
  json ledgers = json::array(), silent = json::array();
  for (u32 rank = 0; rank < survey.members.size(); ++rank) {
    const auto at = std::find_if(survey.entries.begin(), survey.entries.end(),
                                 [&](const Entry& entry) { return entry.rank == rank; });
    if (at == survey.entries.end())
      silent.push_back(rank);
    else
      ledgers.push_back(as_json(*at, survey.members));
  }
  json made{{"communicator", hex(survey.comm)},
            {"ranks", survey.members.size()},
            {"ledgers", std::move(ledgers)},
            {"silent", std::move(silent)}};
  if (!survey.verdict.empty()) made["verdict"] = survey.verdict;
  return made;
}

std::string dump(const json& value) {
  return value.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace weft::control
