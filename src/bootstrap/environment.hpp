// What the launcher's variables say about this process: its rank, the job's size and how to meet.
//
// The decision is a pure function of the environment, so that every combination is tested without
// starting anything. It never guesses: a launcher that started several processes without a way for
// them to meet is an error, or N jobs of one rank would run side by side and look well.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bootstrap/bootstrap.hpp"

namespace weft::bootstrap {

// The value of a variable; nothing if it is unset or empty.
using Environment = std::function<std::optional<std::string>(const char* name)>;
Environment process_environment();

struct UseAlone {};
struct UsePmix {};
struct UseId {
  UniqueId id;
  u32 rank, ranks;
};
struct UseMaster {
  std::string host;
  std::vector<u16> ports;  // rank 0 listens on the first that is free, the others try them all
  Secret secret;
  u32 rank, ranks;
};
using Decision = std::variant<UseAlone, UsePmix, UseId, UseMaster>;

// `pmix_missing` tells why this build or machine cannot use PMIx; empty if it can. Asked only where
// a launcher offers it: the answer takes loading the library.
Result<Decision> decide(const Environment& environment,
                        const std::function<std::string()>& pmix_missing);

}  // namespace weft::bootstrap
