#include "perf/reporter.hpp"

#include <strings.h>
#include <unistd.h>

#include <cstdio>

namespace weft::perf {

Reporter::~Reporter() {
  if (json_) json_->finish();
}

// A pipe buffers whole pages: each piece is flushed, so that a long run shows where it is.
void Reporter::say(const std::string& text) {
  if (!options_) return;
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

void Reporter::open_json(std::span<const char* const> arguments, int library_version) {
  if (!options_ || options_->output_file.empty()) return;
  const std::string& path = options_->output_file;
  const auto dot = path.find_last_of("./");
  if (dot == std::string::npos || strcasecmp(path.c_str() + dot, ".json") != 0)
    return line(fmt::format("# skipping json output; {} does not end in .json", path));
  std::string message;
  json_ = JsonReport::open(path, message);
  line(message);
  if (json_) json_->begin(arguments, reported_environment(environ), library_version);
}

void Reporter::notes() {
  if (!options_) return;
  for (const std::string& note : options_->notes) line(note);
}

void Reporter::opening(int library_version) {
  if (!options_) return;
  say(perf::opening(*options_, program_, library_version));
  if (json_) json_->config(*options_);
}

void Reporter::devices(std::span<const Device> devices) {
  for (const Device& device : devices) {
    say(device_line(device));
    if (json_) json_->device(device);
  }
}

void Reporter::order(const std::string& name) {
  line(fmt::format("# order {}", name));
  if (json_) json_->order(name);
}

void Reporter::buffers() {
  if (options_)
    line(options_->shared_buffers ? "# buffers shared (weft_mem_alloc)" : "# buffers private");
}

void Reporter::peers(std::span<const std::string> descriptions) {
  if (!options_ || descriptions.empty()) return;
  const char* what = options_->compare.empty() ? "backend" : "compared with";
  for (const std::string& one : descriptions) line(fmt::format("# {} : {}", what, one));
  if (json_) json_->peers(*options_, descriptions);
}

void Reporter::reduced_maximum(std::size_t bytes) {
  say(fmt::format("#\n# Reducing maxBytes to {} due to memory limitation\n", bytes));
}

void Reporter::header() {
  if (options_) say(perf::header(*options_));
}

void Reporter::row_start(const Row& row) {
  if (!options_) return;
  say(perf::row_start(row));
  row_bytes_ = row.bytes;
  if (json_) json_->row_start(row);
}

void Reporter::row_half(const Measurement& measurement, bool in_place) {
  if (!options_) return;
  say(perf::row_half(measurement));
  if (in_place && options_->report_timestamps && !options_->per_iteration)
    say(row_timestamp(now_text()));
  if (json_) json_->row_half(measurement, in_place, options_->report_cputime);
}

void Reporter::row_iterations(std::span<const double> times, bool in_place,
                              std::span<const double> processes) {
  if (!options_) return;
  const int skipped = options_->per_iteration_skip;
  const IterationStatistics statistics = statistics_of(times.subspan(skipped));
  say(perf::row_iterations(statistics));
  if (in_place && options_->report_timestamps) say(row_timestamp(now_text()));
  if (json_) json_->row_iterations(statistics, times, skipped, in_place, processes);
}

void Reporter::row_details(const Details& details) {
  if (!options_) return;
  details_ = details;
  if (json_) json_->row_details(details);
}

void Reporter::row_percentiles(const std::vector<double>& microseconds) {
  if (!options_) return;
  percentiles_ = microseconds;
  if (json_) json_->row_percentiles(options_->percentiles, microseconds);
}

void Reporter::row_contest(const Verdict& verdict) {
  if (!options_) return;
  verdict_ = verdict;
  if (json_) json_->row_contest(verdict, options_->sweep_algorithms);
  if (!options_->sweep_algorithms) return;
  for (const StateResult& state : verdict.states) {
    const Regret regret = regret_of(state, verdict.entrants);
    if (regret.factor <= worst_.factor) continue;
    worst_ = {regret.factor,
              fmt::format("at {} B, {}: {} where {} is best", row_bytes_, name_of(state.state),
                          verdict.entrants[0].name, verdict.entrants[regret.best].name)};
  }
}

// Columns that options add come last, whatever the order in which they were measured.
void Reporter::row_end() {
  if (!options_) return;
  std::string text;
  if (details_) text += details_columns(*details_);
  text += percentile_columns(percentiles_);
  const bool of_schedules = options_->sweep_algorithms;
  if (verdict_ && !of_schedules) text += comparison_columns(*verdict_, options_->compare);
  text += "\n";
  if (verdict_) text += of_schedules ? schedule_lines(*verdict_) : comparison_lines(*verdict_);
  say(text);
  details_.reset();
  percentiles_.clear();
  verdict_.reset();
  if (json_) json_->row_end(options_->iterations);
}

void Reporter::footer(const Summary& summary, const std::optional<MemoryUse>& memory) {
  if (!options_) return;
  say(perf::footer(summary, program_));
  if (worst_.factor > 0)
    say(fmt::format("# {:<20} : {:.2f} {}\n", "Greatest regret", worst_.factor, worst_.where));
  if (memory) say(memory_line(*memory));
  say("#\n");
  if (json_) json_->summary(summary);
}

void Reporter::errors(const std::string& text) {
  say(text.empty() ? "\n" : fmt::format("# error: {}\n", text));
  if (json_) json_->errors(text);
}

void Reporter::line(const std::string& text) { say(text + "\n"); }

void Reporter::digest(const std::string& text) {
  line(fmt::format("# Digest : {}", text));
  if (json_) json_->digest(text);
}

std::vector<std::string> reported_environment(const char* const* environment) {
  constexpr std::string_view secret = "WEFT_UNIQUE_ID=";
  std::vector<std::string> reported;
  for (; *environment; ++environment) {
    const std::string_view entry(*environment);
    reported.emplace_back(entry.starts_with(secret) ? "WEFT_UNIQUE_ID=(not reported)" : entry);
  }
  return reported;
}

}  // namespace weft::perf
