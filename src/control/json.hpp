// Ledgers as JSON: for files and for `weft status`. Threads: pure functions.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "control/message.hpp"

namespace weft::control {

std::string hex(u64 id);
// {communicator, ranks, verdict, ledgers: [...], silent: [ranks]}
nlohmann::json as_json(const Survey& survey);
std::string dump(const nlohmann::json& value);  // whatever bytes are in its strings

}  // namespace weft::control
