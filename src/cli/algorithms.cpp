// `weft algorithms`: the table, and what of it fits a collective and a shape.
#include <fmt/format.h>

#include "algorithms/table.hpp"
#include "cli/algorithms_page.hpp"
#include "cli/names.hpp"
#include "cli/subcommand.hpp"

namespace weft::cli {
namespace {

struct AlgorithmsChoice {
  std::string kind, nodes, machine;
  bool markdown = false;
};

void print_table(const std::vector<schedule::Kind>& kinds) {
  for (const auto& row : algorithms::table()) {
    std::string can;
    for (schedule::Kind kind : kinds)
      if (row.kinds.has(kind))
        can += fmt::format(" {}{}", schedule::name_of(kind),
                           row.power_of_two.has(kind) ? " (2^k ranks)" : "");
    if (can.empty()) continue;
    fmt::print(
        "{}\n  {}\n  does      {}\n  rounds    {}\n  bytes     {}\n  order     {}\n"
        "  source    {}\n",
        row.name, row.about, can.substr(1), row.rounds, row.bytes, order_text(row.canonical_to),
        row.source);
  }
  fmt::print("Between nodes, INTRA/INTER composes two of them: `weft algorithms --nodes 2x4`.\n");
}

void print_fitting(const std::vector<schedule::Kind>& kinds, const schedule::Shape& shape) {
  for (schedule::Kind kind : kinds)
    for (const std::string& name : algorithms::names(kind, shape))
      fmt::print("{:<15} {:<36} {}\n", schedule::name_of(kind), name,
                 reduces(kind) ? schedule::name_of(algorithms::order_of(name, kind, shape)) : "");
}

Status print_page(const std::string& path) {
  WEFT_ASSIGN(const auto machine, simulate::load_machine(path));
  WEFT_ASSIGN(const auto page, algorithms_page(machine));
  fmt::print("{}", page);
  return {};
}

Status list(const AlgorithmsChoice& choice) {
  if (choice.markdown) return print_page(choice.machine);
  WEFT_ASSIGN(const auto kinds, parse_kinds(choice.kind));
  if (choice.nodes.empty()) {
    print_table(kinds);
    return {};
  }
  WEFT_ASSIGN(const auto shape, schedule::Shape::parse(choice.nodes));
  print_fitting(kinds, shape);
  return {};
}

}  // namespace

void add_algorithms(CLI::App& app, int& exit_code) {
  auto choice = std::make_shared<AlgorithmsChoice>();
  auto* command = app.add_subcommand(
      "algorithms", "List the algorithms; with --nodes those that fit, and the order they keep");
  command->add_option("--kind", choice->kind, "Only those for this collective, as all_reduce");
  command->add_option("--nodes", choice->nodes, "Node shape: 8, 2x4, 1+7, 2x4+3");
  auto* markdown = command->add_flag("--markdown", choice->markdown,
                                     "The table as docs/algorithms.md, with what each costs");
  auto* machine = command->add_option("--machine", choice->machine,
                                      "Constants for --markdown, such as perf/machines/h100.json");
  markdown->needs(machine);
  machine->needs(markdown);
  command->callback([choice, &exit_code] {
    if (const Status status = list(*choice); !status) exit_code = complain(status.error());
  });
}

}  // namespace weft::cli
