#include <fmt/format.h>

#include "cli/subcommand.hpp"

namespace weft::cli {

void add_version(CLI::App& app, int&) {
  app.add_subcommand("version", "Print the version of this build")->callback([] {
    fmt::print("weft {}\n", WEFT_VERSION_TEXT);
  });
}

}  // namespace weft::cli
