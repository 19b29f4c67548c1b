#include <fmt/ostream.h>

#include <ostream>

#include "schedule/text.hpp"
#include "schedule/words.hpp"

namespace weft::schedule {

const char* name_of(Verb verb) {
  switch (verb) {
    case Verb::send: return "send";
    case Verb::recv: return "recv";
    case Verb::recv_reduce: return "recv_reduce";
    case Verb::copy: return "copy";
    case Verb::reduce: return "reduce";
  }
  return "?";
}

namespace {

std::string text(const Span& span, u32 count) {
  std::string text = span.buffer == input    ? "input"
                     : span.buffer == output ? "output"
                                             : fmt::format("plane{}", span.buffer - first_plane);
  text += fmt::format("[{}", span.first);
  if (count != 1 || span.stride) text += fmt::format(" x{}", count);
  if (span.stride) text += fmt::format(" by {}", u64(1) << span.stride);
  return text + (span.right ? "] right" : "]");
}

std::string peers(const Step& step) {
  const char* word = step.sends() ? "to" : step.receives() ? "from" : "peer";
  if (step.is_local() && step.peer == 0 && step.fan == 1) return "";
  if (step.fan > 1) return fmt::format(" {} {}..{}", word, step.peer, step.peer + step.fan - 1);
  return fmt::format(" {} {}{}", word, step.peer, step.fan == 0 ? " fan 0" : "");
}

std::string text(Wait wait) {
  return wait.valid() ? fmt::format("{}:{}", wait.lane, wait.steps) : "none";
}

}  // namespace

std::string text(const Step& step) {
  const bool spans = step.target.valid() || step.source.valid() || step.second.valid();
  const bool join = step.verb == Verb::copy && !spans && step.count == 0;
  std::string line = fmt::format("lane {} {}", step.lane, join ? "join" : name_of(step.verb));
  if (step.target.valid()) line += " target " + text(step.target, step.count);
  if (step.source.valid()) line += " source " + text(step.source, step.count);
  if (step.second.valid()) line += " second " + text(step.second, step.count);
  if (!spans && !join) line += fmt::format(" count {}", step.count);
  line += peers(step);
  if (step.port) line += fmt::format(" port {}", step.port);
  if (step.level) line += fmt::format(" level {}", step.level);
  if (step.wait(0).valid() || step.wait(1).valid()) line += " after " + text(step.wait(0));
  if (step.wait(1).valid()) line += " and " + text(step.wait(1));
  return line;
}

void write(std::ostream& to, const Collective& collective) {
  fmt::print(to, "collective {} root {}{}\n", name_of(collective.kind), collective.root,
             collective.ranks ? fmt::format(" ranks {}", collective.ranks) : "");
  if (!collective.owner.empty()) fmt::print(to, "owner {}\n", text(collective.owner));
}

void write(std::ostream& to, const Tiling& tiling) {
  fmt::print(to, "tiling {} shards {} sub {}\n",
             tiling.pairs    ? "pairs"
             : tiling.blocks ? "blocks"
                             : "vector",
             tiling.shards, tiling.sub);
  if (!tiling.owner.empty()) fmt::print(to, "block {}\n", text(tiling.owner));
  if (!tiling.part.empty()) fmt::print(to, "part {}\n", text(tiling.part));
  if (!tiling.parts.empty()) fmt::print(to, "parts {}\n", text(tiling.parts));
}

void write(std::ostream& to, const Program& program) {
  fmt::print(to, "program rank {} of {} atoms {} planes {} lanes {}\n", program.rank, program.ranks,
             program.atoms, program.planes, program.lanes);
  for (const Level& level : program.levels)
    fmt::print(to, "level me {} ranks {} cuts {}{}\n", level.me, text(level.rank), text(level.cut),
               level.atom.empty() ? "" : " of " + text(level.atom));
  for (const Step& step : program.steps) fmt::print(to, "{}\n", text(step));
  fmt::print(to, "end\n");
}

void write(std::ostream& to, const Schedule& schedule) {
  write(to, schedule.collective);
  write(to, schedule.tiling);
  for (const Program& program : schedule.programs) write(to, program);
}

}  // namespace weft::schedule
