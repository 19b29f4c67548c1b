// `weft verify`: proves algorithms, a schedule in a file, or recorded executions.
#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "algorithms/table.hpp"
#include "cli/matrix.hpp"
#include "cli/names.hpp"
#include "cli/records.hpp"
#include "cli/shapes.hpp"
#include "cli/subcommand.hpp"

namespace weft::cli {
namespace {

struct VerifyChoice {
  std::string algorithm, kind, nodes, file;
  std::vector<std::string> traces;
  u32 ranks = 16, rails = 1, jobs = 0;
  u64 seed = 1;
};

Result<Selection> select(const VerifyChoice& choice) {
  Selection selection{.algorithm = choice.algorithm, .seed = choice.seed};
  selection.jobs = choice.jobs ? choice.jobs : std::max(1u, std::thread::hardware_concurrency());
  if (!choice.algorithm.empty()) WEFT_TRY(check_algorithm(choice.algorithm));
  WEFT_ASSIGN(selection.kinds, parse_kinds(choice.kind));
  if (!choice.nodes.empty()) {
    WEFT_ASSIGN(auto shape, schedule::Shape::parse(choice.nodes));
    shape.rails = choice.rails;
    selection.shapes.push_back(shape);
    return selection;
  }
  std::mt19937_64 dice(choice.seed);
  for (u32 p = 1; p <= choice.ranks; ++p)
    for (auto& shape : shapes_of(p, dice)) selection.shapes.push_back(std::move(shape));
  return selection;
}

void announce(const VerifyChoice& choice, const Selection& selection) {
  if (!choice.nodes.empty()) {
    fmt::print("nodes {}, seed {}\n", choice.nodes, choice.seed);
    return;
  }
  fmt::print("1 to {} ranks on {} node shapes, seed {}", choice.ranks, selection.shapes.size(),
             choice.seed);
  if (choice.ranks > most_ranks_in_full)
    fmt::print(
        "; beyond {} ranks node shapes are sampled (all regular ones, 20 at random), and "
        "broadcast starts from 4 roots",
        most_ranks_in_full);
  fmt::print("\n");
}

Result<int> prove_matrix(const VerifyChoice& choice) {
  WEFT_ASSIGN(const Selection selection, select(choice));
  announce(choice, selection);
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Matrix matrix;
  matrix.prove(selection, [&](u32 ranks, const Tally& tally) {
    fmt::print("  {} ranks, {} of {} proved, {:.0f} s\n", ranks, tally.proved, tally.total,
               seconds());
    std::fflush(stdout);
  });
  fmt::print("\n{}\n", matrix.text());
  for (const std::string& fault : matrix.faults()) fmt::print("{}\n\n", fault);
  const Tally& total = matrix.total();
  fmt::print("{:.1f} s\nproved {} of {}\n", seconds(), total.proved, total.total);
  if (total.total == 0)
    return fail(Code::invalid_argument, "no algorithm fits: see `weft algorithms --nodes {}`",
                choice.nodes.empty() ? std::to_string(choice.ranks) : choice.nodes);
  return total.proved == total.total ? success : failure;
}

Result<int> prove(const VerifyChoice& choice) {
  if (!choice.file.empty()) return prove_file(choice.file);
  if (!choice.traces.empty()) return prove_traces(choice.traces);
  return prove_matrix(choice);
}

}  // namespace

void add_verify(CLI::App& app, int& exit_code) {
  auto choice = std::make_shared<VerifyChoice>();
  auto* command = app.add_subcommand("verify", "Prove schedules, or check recorded executions");
  command->add_option("--algorithm", choice->algorithm, "Only this one, as ring or ring/two_shot");
  command->add_option("--kind", choice->kind, "Only this collective, as all_reduce");
  command->add_option("--ranks", choice->ranks, "Prove every number of ranks from 1 to this")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  auto* nodes = command->add_option("--nodes", choice->nodes, "Only this node shape, as 2x4+3");
  nodes->excludes("--ranks");
  command->add_option("--rails", choice->rails, "Rails of that shape")
      ->needs(nodes)
      ->check(CLI::Range(1, 256));
  command->add_option("--seed", choice->seed, "Of the shapes and roots that are drawn")
      ->capture_default_str();
  command->add_option("--jobs", choice->jobs, "Threads; 0: one a core")->capture_default_str();
  auto* file = command->add_option("--file", choice->file, "Prove a schedule in text form");
  auto* traces = command->add_option("--trace", choice->traces,
                                     "Check recorded executions: files of all ranks, or folders");
  for (auto* one : {file, traces})
    for (const char* other : {"--algorithm", "--kind", "--nodes", "--ranks"}) one->excludes(other);
  file->excludes(traces);
  command->callback([choice, &exit_code] {
    const Result<int> result = prove(*choice);
    exit_code = result ? *result : complain(result.error());
  });
}

}  // namespace weft::cli
