// `weft unique-id`: the id of a job whose ranks are started by hand.
#include <fmt/format.h>

#include "bootstrap/bootstrap.hpp"
#include "cli/subcommand.hpp"

namespace weft::cli {

void add_unique_id(CLI::App& app, int& exit_code) {
  struct Choice {
    std::string host = "127.0.0.1";
    u16 port = 29400;
  };
  auto choice = std::make_shared<Choice>();
  auto* command = app.add_subcommand(
      "unique-id", "Print an id for WEFT_UNIQUE_ID, with RANK and WORLD_SIZE: ranks by hand");
  command->add_option("--host", choice->host, "Address of the host that rank 0 runs on")
      ->capture_default_str();
  command->add_option("--port", choice->port, "Port that rank 0 listens on")->capture_default_str();
  command->callback([choice, &exit_code] {
    const auto id = bootstrap::reserve_unique_id(choice->host, choice->port);
    if (!id) {
      exit_code = complain(id.error());
      return;
    }
    fmt::print("{}\n", id->text());
  });
}

}  // namespace weft::cli
