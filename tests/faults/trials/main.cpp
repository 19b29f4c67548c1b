// Runs trials drawn from seeds and says what became of them, by kind of fault.
//
//   trials [--runs N] [--processes N] [--seed S] [--jobs J]
//   trials --one SEED [--processes 1]       one again, in words
//
// --only kill,cut: of these faults alone.
//
// Exit status: 0 if nothing hung or was late, no kill or freeze had a wrong culprit, and of the
// others fewer than one in a hundred.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <atomic>
#include <map>

#include "trial.hpp"

namespace weft::trials {
namespace {

struct Options {
  u32 runs = 100, processes = 25, jobs = 4;
  u64 seed = 1;
  std::string one;
  std::vector<What> only;
};

constexpr std::size_t kinds_of_fault = std::size(all_faults);
struct Counts {
  std::atomic<u32> next{0};
  std::array<std::array<std::atomic<u32>, kinds_of_verdict>, kinds_of_fault> of{};
};

bool is_good(Verdict verdict) { return verdict <= Verdict::spared; }

// Every k-th is one of processes, so that any part of the runs has some of them.
Plan plan_of(const Options& options, u32 run) {
  const bool processes = u64{run + 1} * options.processes / options.runs !=
                         u64{run} * options.processes / options.runs;
  return draw(options.seed + run, processes, options.only);
}

void show(const Options& options, const Plan& plan, const Judgement& judgement) {
  std::string how = plan.processes ? " --processes 1" : "";
  for (const What what : options.only)
    how += fmt::format("{}{}", what == options.only.front() ? " --only " : ",", name_of(what));
  const std::string line =
      fmt::format("{}: {}\n  {}\n  again: test_faults_trials --one {}{}\n",
                  name_of(judgement.verdict), plan.text(), judgement.detail, plan.seed, how);
  (void)!::write(STDOUT_FILENO, line.data(), line.size());
}

void work(const Options& options, Counts& counts) {
  for (u32 run; (run = counts.next.fetch_add(1)) < options.runs;) {
    const Plan plan = plan_of(options, run);
    const Judgement judgement = run_trial(plan, true);
    ++counts.of[u32(plan.what)][u32(judgement.verdict)];
    if (!is_good(judgement.verdict)) show(options, plan, judgement);
  }
}

int summary(const Options& options, const Counts& counts) {
  fmt::print("\n{:<10}", "");
  for (int v = 0; v < kinds_of_verdict; ++v) fmt::print("{:>9}", name_of(Verdict(v)));
  u32 lost = 0, wrong = 0, other = 0, all = 0;
  for (const What what : all_faults) {
    const auto& of = counts.of[u32(what)];
    fmt::print("\n{:<10}", name_of(what));
    for (u32 v = 0; v < kinds_of_verdict; ++v) {
      fmt::print("{:>9}", of[v].load());
      all += of[v];
      const bool strict = what == What::kill || what == What::freeze;
      if (Verdict(v) >= Verdict::damaged)
        lost += of[v];
      else if (!is_good(Verdict(v)))
        (strict ? wrong : other) += of[v];
    }
  }
  const bool good = all == options.runs && !lost && !wrong && other * 100 < options.runs;
  fmt::print("\n\n{} runs from seed {}, {} of them with processes: {}\n", all, options.seed,
             options.processes, good ? "good" : "NOT good");
  return good ? 0 : 1;
}

int run_all(const Options& options) {
  void* const shared =
      ::mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& counts = *new (shared) Counts;
  std::vector<pid_t> workers;
  for (u32 job = 0; job < options.jobs; ++job) {
    const pid_t child = ::fork();
    if (child != 0) {
      workers.push_back(child);
      continue;
    }
    work(options, counts);
    ::_exit(0);
  }
  for (const pid_t worker : workers) ::waitpid(worker, nullptr, 0);
  return summary(options, counts);
}

}  // namespace
}  // namespace weft::trials

int main(int count, char** words) {
  using namespace weft::trials;
  Options options;
  CLI::App app("Trials of faults, drawn from seeds.");
  app.add_option("--runs", options.runs, "how many")->check(CLI::Range(1, 1'000'000));
  app.add_option("--processes", options.processes, "of them, with a process a rank");
  app.add_option("--seed", options.seed, "of the first; each next one has the next");
  app.add_option("--jobs", options.jobs, "at a time")->check(CLI::Range(1, 64));
  app.add_option("--one", options.one, "this seed alone");
  std::map<std::string, What> words_of_faults;
  for (const What what : all_faults) words_of_faults[name_of(what)] = what;
  app.add_option("--only", options.only, "these faults, separated by commas")
      ->delimiter(',')
      ->transform(CLI::CheckedTransformer(words_of_faults));
  CLI11_PARSE(app, count, words);
  if (options.one.empty()) return run_all(options);
  const Plan plan = draw(std::stoull(options.one), options.processes == 1, options.only);
  const Judgement judgement = run_trial(plan, false);
  show(options, plan, judgement);
  return is_good(judgement.verdict) ? 0 : 1;
}
