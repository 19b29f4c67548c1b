// `weft show`: one algorithm on one shape, as text, as a picture or as a digest.
#include <fmt/format.h>

#include <iostream>

#include "algorithms/table.hpp"
#include "cli/names.hpp"
#include "cli/subcommand.hpp"
#include "schedule/digest.hpp"
#include "schedule/dot.hpp"
#include "schedule/text.hpp"

namespace weft::cli {
namespace {

struct ShowChoice {
  std::string algorithm, kind = "all_reduce", nodes;
  u32 root = 0, rails = 1;
  i64 rank = -1;  // all
  bool dot = false, digest = false;
};

Status show(const ShowChoice& choice) {
  WEFT_TRY(check_algorithm(choice.algorithm));
  WEFT_ASSIGN(const schedule::Kind kind, parse_kind(choice.kind));
  WEFT_ASSIGN(schedule::Shape shape, schedule::Shape::parse(choice.nodes));
  shape.rails = choice.rails;
  WEFT_TRY(algorithms::supports(choice.algorithm, kind, shape));
  if (choice.rank >= i64(shape.ranks()))
    return fail(Code::invalid_argument, "rank {} is none of {} ranks", choice.rank, shape.ranks());
  WEFT_ASSIGN(auto schedule, algorithms::emit_all(choice.algorithm, kind, shape, choice.root));
  const bool one = choice.rank >= 0;
  if (choice.digest)
    fmt::print("{}\n", (one ? schedule::digest(schedule.programs[u32(choice.rank)])
                            : schedule::digest(schedule))
                           .hex());
  else if (choice.dot)
    write_dot(std::cout, schedule);
  else if (one)
    write(std::cout, schedule.programs[u32(choice.rank)]);
  else
    write(std::cout, schedule);
  return {};
}

}  // namespace

void add_show(CLI::App& app, int& exit_code) {
  auto choice = std::make_shared<ShowChoice>();
  auto* command = app.add_subcommand("show", "Print a schedule: text, Graphviz or digest");
  command->add_option("algorithm", choice->algorithm, "As `weft algorithms` lists it")->required();
  command->add_option("--kind", choice->kind, "The collective")->capture_default_str();
  command->add_option("--nodes", choice->nodes, "Node shape: 8, 2x4, 1+7, 2x4+3")->required();
  command->add_option("--rails", choice->rails, "Rails of each node")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  command->add_option("--root", choice->root, "Root of broadcast")->capture_default_str();
  auto* rank = command->add_option("--rank", choice->rank, "Only this rank's program")
                   ->check(CLI::NonNegativeNumber);
  auto* dot = command->add_flag("--dot", choice->dot, "As a picture of all ranks, for `dot -Tsvg`");
  auto* digest = command->add_flag("--digest", choice->digest, "Only the digest");
  dot->excludes(digest)->excludes(rank);
  command->callback([choice, &exit_code] {
    if (const Status status = show(*choice); !status) exit_code = complain(status.error());
  });
}

}  // namespace weft::cli
