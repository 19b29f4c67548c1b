#include "perf/sweep.hpp"

#include <algorithm>

#include "perf/combinations.hpp"

namespace weft::perf {
namespace {

constexpr std::uint64_t timed_seed = 99;

// Digests of two runs are comparable whatever else the runs do, so the seed is the case's own.
std::uint64_t digest_seed(const Case& test, Place place) {
  return (std::uint64_t{1} << 63) + 2 * test.layout.parameter + (place == Place::in ? 1 : 0);
}

// Of each iteration the slowest process's time; `processes` has one row of `iterations` for each.
std::vector<double> slowest(const std::vector<double>& processes, std::size_t iterations) {
  std::vector<double> most(iterations, 0.0);
  for (std::size_t i = 0; i < processes.size(); ++i)
    most[i % iterations] = std::max(most[i % iterations], processes[i]);
  return most;
}

}  // namespace

void Sweep::resize(Case& test, std::size_t bytes) const {
  test.layout = collective_.layout(bytes / test.type->bytes, test.type->bytes, all_ranks_);
}

Status Sweep::run() {
  const auto operators = collective_.reduces ? options_.operators : std::span(&no_operator(), 1);
  int first_root = -1, last_root = -1;
  if (collective_.rooted) {
    first_root = options_.root == -1 ? 0 : options_.root;
    last_root = options_.root == -1 ? all_ranks_ - 1 : options_.root;
  }
  for (const ElementType& type : options_.types)
    for (const Operator& op : operators) {
      if (collective_.reduces && !is_walked(options_, type, op)) continue;
      const Case asked = {.type = &type, .op = &op, .layout = {}};
      if (!refusal(field_.contenders[0], collective_, asked).empty()) continue;
      for (int root = first_root; root <= last_root; ++root)
        PERF_TRY(walk({.type = &type, .op = &op, .root = root, .layout = {}}));
    }
  return {};
}

Status Sweep::walk(Case test) {
  PERF_TRY(team_.barrier());
  ranks_.align_for(*test.type);
  PERF_TRY(ranks_.make_operators(test));
  PERF_TRY(warm_up(test));
  for (int cycle = 0; options_.cycles == 0 || cycle < options_.cycles; ++cycle) {
    std::optional<std::size_t> size = options_.sizes.minimum;
    for (; size; size = next_size(options_.sizes, *size, test.type->bytes)) {
      resize(test, *size);
      PERF_TRY(row(test));
    }
  }
  return {};
}

Status Sweep::warm_up(Case& test) {
  const SizeRange range = warmup_range(options_.sizes);
  std::optional<std::size_t> size = range.minimum;
  for (; size; size = next_size(range, *size, test.type->bytes)) {
    resize(test, *size);
    for (int i = 0; i < options_.warmups; ++i) PERF_TRY(ranks_.call(test, Place::out, i, 1));
  }
  return {};
}

Status Sweep::row(const Case& test) {
  reporter_.row_start({.bytes = test.bytes(),
                       .count = test.layout.parameter,
                       .type = test.type->name,
                       .op = test.op->name,
                       .root = test.root});
  for (Place place : {Place::out, Place::in}) {
    PERF_TRY(measure(test, place));
    if (options_.digest) PERF_TRY(digest(test, place));
  }
  if (field_.contenders.size() > 1) PERF_TRY(contest(test));
  reporter_.row_end();
  return {};
}

Status Sweep::measure(const Case& test, Place place) {
  if (options_.checks) ranks_.prepare(test, place, timed_seed, Inputs::exact);
  const auto timing = timed(ranks_, team_, options_, test, place);
  if (!timing) return tl::unexpected(timing.error());
  const auto seconds =
      team_.combined(thread_, timing->wall, static_cast<Combine>(options_.average));
  if (!seconds) return tl::unexpected(seconds.error());
  const auto wrong = check_results(test, place);
  if (!wrong) return tl::unexpected(wrong.error());

  const Bandwidth bandwidth =
      collective_.bandwidth(test.layout.parameter, test.type->bytes, *seconds, all_ranks_);
  totals_.bandwidth += bandwidth.bus;
  ++totals_.measurements;
  reporter_.row_half({.microseconds = (options_.report_cputime ? timing->cpu : *seconds) * 1e6,
                      .bandwidth = bandwidth,
                      .checked = options_.checks > 0,
                      .wrong = *wrong},
                     place == Place::in);
  if (options_.per_iteration) PERF_TRY(report_iterations(timing->iterations, place));
  if (place == Place::in) return {};
  if (!options_.details && options_.percentiles.empty()) return {};
  const auto iterations = team_.process_maxima(timing->iterations);
  if (!iterations) return tl::unexpected(iterations.error());
  const std::vector<double> times = slowest(*iterations, timing->iterations.size());
  if (!options_.percentiles.empty()) report_percentiles(times);
  return options_.details ? report_details(*timing, times) : Status{};
}

void Sweep::report_percentiles(std::span<const double> times) {
  std::vector<double> microseconds;
  for (const double percent : options_.percentiles)
    microseconds.push_back(percentile(times, percent) * 1e6);
  reporter_.row_percentiles(microseconds);
}

// The slowest rank's first call and steps; the CPU time is the average over ranks.
Status Sweep::report_details(const Timing& timing, std::span<const double> times) {
  const auto first = team_.combined(thread_, timing.first, Combine::maximum);
  if (!first) return tl::unexpected(first.error());
  const auto cpu = team_.combined(thread_, timing.cpu, Combine::average);
  if (!cpu) return tl::unexpected(cpu.error());
  const IterationStatistics statistics = statistics_of(times);
  reporter_.row_details(
      {.first = *first * 1e6, .cpu = *cpu * 1e6, .p99_over_p50 = statistics.p99 / statistics.p50});
  return {};
}

// The schedule that the library takes for this call.
Result<std::string> Sweep::chosen(const Case& test) const {
  char text[1024] = "";
  PERF_TRY(
      check(weft_explain(field_.contenders[0].runner.communicators.front().get(), collective_.kind,
                         test.layout.parameter, test.type->type, test.op->op, text, sizeof text),
            "explaining a schedule"));
  const std::string whole = text;
  return whole.substr(0, whole.find(' '));
}

Status Sweep::contest(const Case& test) {
  Contest contest(options_, collective_, ranks_, team_, thread_, field_);
  auto verdict = contest.run(test, timed_seed + round_);
  if (!verdict) return tl::unexpected(std::move(verdict).error());
  round_ += field_.contenders.size();
  totals_.errors += contest.errors();
  if (options_.sweep_algorithms) {
    auto name = chosen(test);
    if (!name) return tl::unexpected(std::move(name).error());
    verdict->entrants[0].name = std::move(*name);
  }
  reporter_.row_contest(*verdict);
  return {};
}

Result<std::size_t> Sweep::check_results(const Case& test, Place place) {
  ++round_;
  double wrong_everywhere = 0;
  for (int i = 0; i < options_.checks && wrong_everywhere == 0; ++i) {
    // Checking loads the machine: nobody begins while another still measures.
    PERF_TRY(team_.barrier());
    ranks_.prepare(test, place, timed_seed + round_, Inputs::exact);
    PERF_TRY(ranks_.call(test, place, 0, 1));
    const std::size_t wrong = ranks_.wrong(test, place, timed_seed + round_);
    if (wrong) ++totals_.errors;
    const auto sum = team_.combined(thread_, static_cast<double>(wrong), Combine::sum);
    if (!sum) return tl::unexpected(sum.error());
    wrong_everywhere = *sum;
  }
  return static_cast<std::size_t>(wrong_everywhere);
}

Status Sweep::digest(const Case& test, Place place) {
  PERF_TRY(team_.barrier());
  ranks_.prepare(test, place, digest_seed(test, place), Inputs::order);
  PERF_TRY(ranks_.call(test, place, 0, 1));
  ranks_.add_to_digests(test, place);
  return {};
}

Status Sweep::report_iterations(const std::vector<double>& times, Place place) {
  const auto processes = team_.process_maxima(times);
  if (!processes) return tl::unexpected(processes.error());
  reporter_.row_iterations(slowest(*processes, times.size()), place == Place::in, *processes);
  return {};
}

}  // namespace weft::perf
