#include "cli/simulate_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "simulate/ceiling.hpp"

namespace weft::cli {
namespace {

using simulate::Outcome;

double microseconds(simulate::Time time) { return double(time) / 1e6; }

struct Bandwidths {
  double algbw, busbw, ceiling, fraction;  // bytes a second; a ceiling of 0 is none
};

Bandwidths bandwidths(const SimulateJob& job, const Outcome& outcome) {
  const double algbw = simulate::algbw(job.job.bytes, outcome.time);
  const double busbw = algbw * simulate::bus_factor(job.kind, job.shape.ranks());
  const double ceiling = simulate::ceiling(job.kind, job.shape, job.machine);
  return {algbw, busbw, ceiling, ceiling > 0 ? busbw / ceiling : 0};
}

std::string setting_text(const Simulated& s) {
  if (s.found.slices == 1) return "1 slice";
  return fmt::format("{} slices of {} in {} frames", s.found.slices,
                     bytes_text(s.found.setting.slice_bytes), s.found.setting.frames);
}

std::string ceiling_text(const SimulateJob& job, const Bandwidths& b) {
  const schedule::Shape& shape = job.shape;
  return fmt::format(
      "{:.3f} of the ceiling of busbw, {:.2f} GB/s = {}\n"
      "  with N = {} nodes, G = {} ranks of the largest, R = {} rails, p = {}, B_v = {:.1f}, B_r = "
      "{:.1f} GB/s\n",
      b.fraction, b.ceiling / 1e9, simulate::ceiling_formula(job.kind), shape.nodes(),
      *std::max_element(shape.size.begin(), shape.size.end()), shape.rails, shape.ranks(),
      double(job.machine.intra.bandwidth.bytes_per_second) / 1e9,
      double(job.machine.inter.bandwidth.bytes_per_second) / 1e9);
}

std::string details(const Outcome& outcome) {
  std::string text = "\nutilisation\n";
  for (u32 k = 0; k < simulate::kinds; ++k)
    if (outcome.busy[k])
      text += fmt::format("  {:<18}{:>12.3f}\n", name_of(simulate::Kind(k)),
                          outcome.utilisation(simulate::Kind(k)));
  text += "\ncritical path             us     part\n";
  for (u32 t = 0; t < simulate::terms; ++t)
    if (outcome.path[t])
      text += fmt::format("  {:<18}{:>12.3f}{:>9.4f}\n", name_of(simulate::Term(t)),
                          microseconds(outcome.path[t]),
                          double(outcome.path[t]) / double(outcome.time));
  return text + fmt::format("  it waits for a frame {} times\n", outcome.frame_waits);
}

nlohmann::ordered_json to_json(const SimulateJob& job, const Simulated& s) {
  const Outcome& outcome = s.found.outcome;
  const Bandwidths b = bandwidths(job, outcome);
  nlohmann::ordered_json json{
      {"algorithm", s.algorithm},         {"order", schedule::name_of(s.order)},
      {"time_ps", outcome.time},          {"algbw_GBps", b.algbw / 1e9},
      {"busbw_GBps", b.busbw / 1e9},      {"fraction_of_ceiling", b.fraction},
      {"slices", s.found.slices},         {"slice_bytes", s.found.setting.slice_bytes},
      {"frames", s.found.setting.frames}, {"ranks_simulated", s.found.actors},
      {"events", outcome.events}};
  for (u32 k = 0; k < simulate::kinds; ++k)
    json["utilisation"][name_of(simulate::Kind(k))] = outcome.utilisation(simulate::Kind(k));
  for (u32 t = 0; t < simulate::terms; ++t)
    json["critical_path_ps"][name_of(simulate::Term(t))] = outcome.path[t];
  json["frame_waits"] = outcome.frame_waits;
  return json;
}

}  // namespace

std::string SimulateReport::text(bool all) const {
  const Simulated& best = tried.front();
  const Bandwidths b = bandwidths(job, best.found.outcome);
  std::string text = fmt::format(
      "{} of {} on {}: nodes {}, {} rails\n{} ({} order), {}\n{:.3f} us, algbw {:.2f} GB/s, busbw "
      "{:.2f} GB/s\n",
      schedule::name_of(job.kind), bytes_text(job.job.bytes), job.machine.name, job.shape.text(),
      job.shape.rails, best.algorithm, schedule::name_of(best.order), setting_text(best),
      microseconds(best.found.outcome.time), b.algbw / 1e9, b.busbw / 1e9);
  if (b.ceiling > 0) text += ceiling_text(job, b);
  if (best.found.actors < job.shape.ranks())
    text += fmt::format("{} of {} ranks simulated, the others do the same at the same time\n",
                        best.found.actors, job.shape.ranks());
  text += details(best.found.outcome);
  if (!all) return text;
  text += fmt::format("\n{:<40}{:>14}{:>14}  slices and frames\n", "all that were tried", "us",
                      "busbw GB/s");
  for (const Simulated& s : tried)
    text += fmt::format("  {:<38}{:>14.3f}{:>14.2f}  {}\n", s.algorithm,
                        microseconds(s.found.outcome.time),
                        bandwidths(job, s.found.outcome).busbw / 1e9, setting_text(s));
  for (const LeftOut& out : left_out) text += fmt::format("  {:<38}{}\n", out.algorithm, out.why);
  return text;
}

std::string SimulateReport::json() const {
  nlohmann::ordered_json json{{"collective", schedule::name_of(job.kind)},
                              {"bytes", job.job.bytes},
                              {"machine", job.machine.name},
                              {"nodes", job.shape.text()},
                              {"rails", job.shape.rails},
                              {"order", schedule::name_of(job.order)},
                              {"ceiling_GBps", bandwidths(job, {}).ceiling / 1e9}};
  json["best"] = to_json(job, tried.front());
  for (const Simulated& s : tried) json["tried"].push_back(to_json(job, s));
  json["left_out"] = nlohmann::ordered_json::array();
  for (const LeftOut& out : left_out)
    json["left_out"].push_back({{"algorithm", out.algorithm}, {"why", out.why}});
  return json.dump(2) + "\n";
}

}  // namespace weft::cli
