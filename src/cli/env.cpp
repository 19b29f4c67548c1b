// `weft env`: every variable the library reads, as the table in base/config has it.
#include <fmt/format.h>

#include "base/config.hpp"
#include "cli/subcommand.hpp"

namespace weft::cli {
namespace {

void print_variables() {
  for (const config::Variable* variable : config::all()) {
    const std::string value = config::text(*variable);
    fmt::print("{:<20} {:<12} {}\n{:33} {}\n", variable->name, value.empty() ? "-" : value,
               config::is_set(*variable) ? "(set)" : "(default)", "", variable->help);
  }
}

}  // namespace

void add_env(CLI::App& app, int&) {
  app.add_subcommand("env", "List the environment variables, their values and what they do")
      ->callback(print_variables);
}

}  // namespace weft::cli
