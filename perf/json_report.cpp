#include "perf/json_report.hpp"

#include <cerrno>
#include <cmath>

namespace weft::perf {
namespace {

using Json = nlohmann::ordered_json;
constexpr int file_version = 3;  // of nccl-tests' format

const char* truth(bool value) { return value ? "true" : "false"; }

Json number(double value) { return std::isnan(value) ? Json("nan") : Json(value); }

Json microseconds(std::span<const double> seconds) {
  Json list = Json::array();
  for (double time : seconds) list.push_back(number(time * 1e6));
  return list;
}

}  // namespace

std::optional<JsonReport> JsonReport::open(const std::string& path, std::string& message) {
  std::string attempt = path;
  for (int next = 0;; ++next) {
    if (std::FILE* file = std::fopen(attempt.c_str(), "wx")) {
      message = fmt::format("# Writing JSON output to {}", attempt);
      return JsonReport(file);
    }
    if (errno != EEXIST) {
      message = fmt::format("# skipping json output; {} not accessible", attempt);
      return std::nullopt;
    }
    attempt = fmt::format("{}.{}", path, next);
  }
}

void JsonReport::begin(std::span<const char* const> arguments,
                       std::span<const std::string> environment, int library_version) {
  document_["version"] = file_version;
  document_["start_time"] = now_text();
  document_["args"] = Json::array();
  for (const char* argument : arguments) document_["args"].push_back(argument);
  document_["env"] = environment;
  document_["nccl_version"] = library_version;  // readers of nccl-tests' files ask for this key
  document_["weft_version"] = library_version;
}

void JsonReport::config(const Options& options) {
  Json& config = document_["config"];
  config["nthreads"] = options.threads;
  config["ngpus"] = options.ranks_per_thread;
  config["minimum_bytes"] = options.sizes.minimum;
  config["maximum_bytes"] = options.sizes.maximum;
  if (options.sizes.factor > 1)
    config["step_factor"] = options.sizes.factor;
  else
    config["step_bytes"] = options.sizes.step;
  config["warmup_iters"] = options.warmups;
  config["iterations"] = options.iterations;
  config["aggregated_iterations"] = options.aggregated;
  config["validation"] = options.checks;
  config["graph"] = 0;
  config["blocking_collectives"] = truth(options.blocking);
  config["per_iter_timing"] = truth(options.per_iteration);
  config["per_iter_skip"] = options.per_iteration_skip;
  config["parallel_init"] = truth(options.parallel_init);
  config["buffers"] = options.shared_buffers ? "shared" : "private";
  config["devices"] = Json::array();
  document_["results"] = Json::array();
}

void JsonReport::device(const Device& device) {
  document_["config"]["devices"].push_back({{"rank", device.rank},
                                            {"group", device.group},
                                            {"pid", device.pid},
                                            {"hostname", device.host},
                                            {"device", device.node},
                                            {"device_hex", device.node_name},
                                            {"device_info", device.transports}});
}

void JsonReport::order(const std::string& name) { document_["config"]["order"] = name; }

void JsonReport::peers(const Options& options, std::span<const std::string> descriptions) {
  Json& config = document_["config"];
  if (!options.backend.empty()) config["backend"] = options.backend;
  config["peer"] = fmt::format("{}", fmt::join(descriptions, "; "));
}

void JsonReport::row_start(const Row& row) {
  row_ = {{"size", row.bytes},
          {"count", row.count},
          {"type", row.type},
          {"redop", row.op},
          {"root", fmt::format("{:6}", row.root)}};
}

void JsonReport::row_half(const Measurement& measurement, bool in_place, bool cpu_time) {
  row_[in_place ? "in_place" : "out_of_place"] = {
      {cpu_time ? "cpu_time" : "time", number(measurement.microseconds)},
      {"alg_bw", number(measurement.bandwidth.algorithm)},
      {"bus_bw", number(measurement.bandwidth.bus)},
      {"nwrong", measurement.checked ? Json(static_cast<double>(measurement.wrong)) : Json()}};
}

void JsonReport::row_iterations(const IterationStatistics& statistics,
                                std::span<const double> times, int skipped, bool in_place,
                                std::span<const double> processes) {
  Json& entry = row_[in_place ? "in_place_per_iter" : "out_of_place_per_iter"];
  entry = {{"skipped_iterations", skipped},
           {"min_us", number(statistics.minimum * 1e6)},
           {"max_us", number(statistics.maximum * 1e6)},
           {"avg_us", number(statistics.average * 1e6)},
           {"p50_us", number(statistics.p50 * 1e6)},
           {"p95_us", number(statistics.p95 * 1e6)},
           {"p99_us", number(statistics.p99 * 1e6)},
           {"stdev_us", number(statistics.deviation * 1e6)},
           {"cv_pct", number(statistics.variation_percent())},
           {"times_us", microseconds(times)}};
  if (processes.size() <= times.size()) return;
  Json& rows = entry["per_process_max_times_us"] = Json::array();
  for (std::size_t at = 0; at < processes.size(); at += times.size())
    rows.push_back(microseconds(processes.subspan(at, times.size())));
}

void JsonReport::row_details(const Details& details) {
  row_["details"] = {{"first_us", number(details.first)},
                     {"cpu_us", number(details.cpu)},
                     {"p99_over_p50", number(details.p99_over_p50)}};
}

void JsonReport::row_percentiles(std::span<const double> percents, std::span<const double> times) {
  Json& entry = row_["percentiles_us"] = Json::object();
  for (std::size_t i = 0; i < percents.size(); ++i)
    entry[fmt::format("{:g}", percents[i])] = number(times[i]);
}

void JsonReport::row_contest(const Verdict& verdict, bool of_schedules) {
  if (!verdict.refusal.empty()) row_["compare_refused"] = verdict.refusal;
  if (of_schedules) return schedules(verdict);
  Json all = Json::array();
  for (const StateResult& state : verdict.states)
    for (std::size_t i : rivals_of(state, verdict.entrants)) {
      all.push_back({{"state", name_of(state.state)},
                     {"backend", verdict.entrants[i].name},
                     {"time", number(state.medians[i] * 1e6)},
                     {"weft_time", number(state.medians[0] * 1e6)},
                     {"ratio", number(state.ratio(i))},
                     {"points", state.points[i]},
                     {"weft_points", state.points[0]}});
      if (!verdict.entrants[i].form.empty()) all.back()["form"] = verdict.entrants[i].form;
    }
  if (!all.empty()) {
    const Json& first = all.front();
    row_["compare"] = {{"backend", first["backend"]},
                       {"time", first["time"]},
                       {"ratio", first["ratio"]},
                       {"state", first["state"]}};
  }
  row_["compare_states"] = std::move(all);
  row_["compare_dropped"] = verdict.dropped;
}

void JsonReport::schedules(const Verdict& verdict) {
  Json& all = row_["algorithms"] = Json::array();
  for (const StateResult& state : verdict.states)
    for (std::size_t i = 1; i < verdict.entrants.size(); ++i)
      all.push_back({{"state", name_of(state.state)},
                     {"name", verdict.entrants[i].name},
                     {"order", verdict.entrants[i].order},
                     {"keeps_order", verdict.entrants[i].may_win},
                     {"time", number(state.medians[i] * 1e6)},
                     {"points", state.points[i]}});
  if (verdict.states.empty()) return;
  const StateResult& first = verdict.states.front();
  const Regret regret = regret_of(first, verdict.entrants);
  row_["regret"] = {{"state", name_of(first.state)},
                    {"chosen", verdict.entrants[0].name},
                    {"time", number(first.medians[0] * 1e6)},
                    {"best", verdict.entrants[regret.best].name},
                    {"best_time", number(first.medians[regret.best] * 1e6)},
                    {"regret", number(regret.factor)}};
}

void JsonReport::row_end(int iterations) {
  row_["actual_iterations"] = iterations;
  row_["experiment_name"] = "";
  document_["results"].push_back(std::move(row_));
  row_ = nullptr;
}

void JsonReport::summary(const Summary& summary) {
  document_["out_of_bounds"] = {{"count", summary.errors}, {"okay", truth(summary.errors == 0)}};
  document_["average_bus_bandwidth"] = {
      {"bandwidth", number(summary.bus_bandwidth)},
      {"okay", summary.least_bandwidth == -1 ? "unchecked" : truth(summary.enough())}};
}

void JsonReport::errors(const std::string& text) { document_["errors"] = Json::array({text}); }
void JsonReport::digest(const std::string& text) { document_["digest"] = text; }

void JsonReport::finish() {
  if (!row_.is_null()) document_["results"].push_back(std::move(row_));
  document_["end_time"] = now_text();
  const std::string text = document_.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::fwrite(text.data(), 1, text.size(), file_.get());
  std::fflush(file_.get());
}

}  // namespace weft::perf
