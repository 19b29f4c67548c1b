// `weft simulate`: how long a collective takes on a machine of constants, and why.
#include <fmt/format.h>

#include <algorithm>

#include "algorithms/table.hpp"
#include "cli/simulate_programs.hpp"
#include "cli/simulate_report.hpp"
#include "cli/subcommand.hpp"

namespace weft::cli {
namespace {

// Beyond this a candidate that nobody named is left out, so that trying all takes seconds.
constexpr u64 most_messages_of_a_candidate = u64{1} << 20;

struct Candidate {
  std::string algorithm;
  simulate::Time least = 0;  // what its busiest port takes for the call as one slice
};

Result<Simulated> try_one(const std::string& algorithm, const SimulateJob& job,
                          const simulate::Wish& wish) {
  WEFT_ASSIGN(const auto programs, PlanPrograms::make(algorithm, job.kind, job.shape));
  WEFT_ASSIGN(auto found, simulate::search(programs, job.machine, job.job, wish));
  return Simulated{algorithm, programs.plan().order(), std::move(found)};
}

// All that keep the order and are small enough, the most promising first.
Result<std::vector<Candidate>> candidates(SimulateReport& report) {
  const SimulateJob& job = report.job;
  std::vector<Candidate> all;
  for (const std::string& name : algorithms::names(job.kind, job.shape)) {
    if (algorithms::order_of(name, job.kind, job.shape) > job.order) continue;
    WEFT_ASSIGN(const auto programs, PlanPrograms::make(name, job.kind, job.shape));
    WEFT_ASSIGN(const auto call, simulate::call_of(programs, job.job, 0));
    WEFT_ASSIGN(const auto cast, simulate::lower(programs, call, job.wish.merge));
    if (simulate::messages_of(cast) > most_messages_of_a_candidate)
      report.left_out.push_back(
          {name, fmt::format("more than {} messages", most_messages_of_a_candidate)});
    else
      all.push_back({name, simulate::busiest_port(cast, job.machine)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.least < b.least; });
  return all;
}

Status try_all(SimulateReport& report) {
  simulate::Wish wish = report.job.wish;
  wish.most_messages = most_messages_of_a_candidate;
  simulate::Time best = ~simulate::Time{0};
  WEFT_ASSIGN(const auto all, candidates(report));
  for (const auto& [name, least] : all) {
    // Slices are cut on 64 bytes, so the bound for another number of them differs a little.
    if (least - least / 100 >= best) {
      report.left_out.push_back(
          {name, fmt::format("not before {:.0f} us: its busiest port", double(least) / 1e6)});
      continue;
    }
    auto tried = try_one(name, report.job, wish);
    if (tried) {
      best = std::min(best, tried->found.outcome.time);
      report.tried.push_back(std::move(*tried));
    } else if (tried.error().code == Code::unsupported) {
      report.left_out.push_back({name, tried.error().text});
    } else {
      return fail(std::move(tried).error());
    }
  }
  if (!report.tried.empty()) return {};
  if (!report.left_out.empty())
    return fail(Code::unsupported,
                "every schedule was left out, {} for: {}; name one by --algorithm",
                report.left_out[0].algorithm, report.left_out[0].why);
  return fail(Code::unsupported,
              "no schedule of order {} does {} on nodes {}; try --order shape or --order fast",
              schedule::name_of(report.job.order), schedule::name_of(report.job.kind),
              report.job.shape.text());
}

Status run_simulate(const SimulateWords& words) {
  SimulateReport report;
  WEFT_ASSIGN(report.job, understand(words));
  if (words.every_rank) report.job.wish.merge = simulate::Merge::none;
  if (report.job.algorithm.empty()) {
    WEFT_TRY(try_all(report));
  } else {
    WEFT_ASSIGN(auto tried, try_one(report.job.algorithm, report.job, report.job.wish));
    report.tried.push_back(std::move(tried));
  }
  std::stable_sort(report.tried.begin(), report.tried.end(), [](const auto& a, const auto& b) {
    return a.found.outcome.time < b.found.outcome.time;
  });
  fmt::print("{}", words.json ? report.json() : report.text(words.all));
  return {};
}

}  // namespace

void add_simulate(CLI::App& app, int& exit_code) {
  auto words = std::make_shared<SimulateWords>();
  auto* command = app.add_subcommand("simulate", "Predict the time of a collective on a machine");
  command->add_option("--collective", words->collective, "The collective")->capture_default_str();
  command->add_option("--bytes", words->bytes, "Of the whole vector: 65536, 64K, 1M, 1G");
  command
      ->add_option("--nodes", words->nodes,
                   "How many nodes, each of --ranks-per-node; or a shape such as 2x4+3")
      ->capture_default_str();
  command->add_option("--ranks-per-node", words->ranks_per_node, "Default: the machine's")
      ->check(CLI::Range(1, 65536));
  command->add_option("--rails", words->rails, "Rails of each node; default: the machine's")
      ->check(CLI::Range(1, 256));
  command->add_option("--machine", words->machine, "Constants, such as perf/machines/h100.json")
      ->required();
  command->add_option("--algorithm", words->algorithm,
                      "As `weft algorithms` lists it; default: the fastest that keeps the order");
  command->add_option("--order", words->order, "canonical, shape or fast: what may be chosen")
      ->capture_default_str();
  command->add_option("--slice-bytes", words->slice_bytes,
                      "Bytes of a slice, 0 for one slice; default: the fastest");
  command->add_option("--frames", words->frames, "Slices in flight; default: the fastest")
      ->check(CLI::Range(1, 65536));
  command->add_flag("--all", words->all, "Also a table of all schedules that were tried");
  command->add_flag("--every-rank", words->every_rank,
                    "Simulate each rank, even those that provably do the same");
  command->add_flag("--json", words->json, "As JSON");
  command->callback([words, &exit_code] {
    if (const Status status = run_simulate(*words); !status) exit_code = complain(status.error());
  });
}

}  // namespace weft::cli
