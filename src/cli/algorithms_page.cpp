#include "cli/algorithms_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "algorithms/table.hpp"
#include "cli/simulate_job.hpp"
#include "cli/simulate_programs.hpp"

namespace weft::cli {
namespace {

using schedule::Kind;

constexpr u32 nodes = 8;
constexpr u64 sizes[] = {64, 512, 4 << 10, 32 << 10, 256 << 10, 2 << 20, 16 << 20, 128 << 20};
constexpr double tie = 1.01;  // within this of the fastest counts as fastest

struct Line {
  const algorithms::Algorithm* row;
  u64 steps = 0;     // messages one after another until the last rank has its result
  double bytes = 0;  // that the busiest rank sends or receives, in vectors
  std::array<simulate::Time, std::size(sizes)> times{};
};

// A network on which a message takes a second and its bytes nothing.
simulate::Machine counts_messages() {
  simulate::Machine machine;
  machine.inter.bandwidth = machine.reduction = machine.copy = {~u64{0}};
  machine.inter.latency = simulate::picoseconds_per_second;
  machine.inter.eager_bytes = ~u64{0};
  return machine;
}

// A network on which a byte takes one picosecond and a message nothing.
simulate::Machine counts_bytes() {
  simulate::Machine machine;
  machine.inter.bandwidth = {simulate::picoseconds_per_second};
  return machine;
}

Result<Line> line_of(const algorithms::Algorithm& row, Kind kind,
                     const simulate::Machine& machine) {
  Line line{.row = &row};
  const schedule::Shape shape{.size = std::vector<u32>(nodes, 1)};
  WEFT_ASSIGN(const auto programs, PlanPrograms::make(row.name, kind, shape));
  const simulate::Job vector{.bytes = kind == Kind::barrier ? 0 : u64{1} << 20};
  WEFT_ASSIGN(const auto call, simulate::call_of(programs, vector, 0));
  WEFT_ASSIGN(const auto cast, simulate::lower(programs, call));
  WEFT_ASSIGN(const auto outcome, simulate::simulate(cast, counts_messages(), {}));
  // The first second tells the senders that the receivers have begun.
  line.steps = outcome.time / simulate::picoseconds_per_second - 1;
  if (vector.bytes) line.bytes = double(busiest_port(cast, counts_bytes())) / double(vector.bytes);
  if (kind == Kind::barrier) return line;
  for (u32 i = 0; i < std::size(sizes); ++i) {
    WEFT_ASSIGN(const auto found, simulate::search(programs, machine, {.bytes = sizes[i]}, {}));
    line.times[i] = found.outcome.time;
  }
  return line;
}

// The sizes at which a line is the fastest, as runs: "64 bytes to 4 KiB, 16 MiB".
std::string fastest_text(const Line& line, const std::vector<Line>& all) {
  std::string text;
  const auto is_fastest = [&](u32 i) {
    return std::all_of(all.begin(), all.end(), [&](const Line& other) {
      return double(line.times[i]) <= tie * double(other.times[i]);
    });
  };
  for (u32 i = 0; i < std::size(sizes); ++i) {
    if (!is_fastest(i)) continue;
    const u32 first = i;
    while (i + 1 < std::size(sizes) && is_fastest(i + 1)) ++i;
    text += (text.empty() ? "" : ", ") + bytes_text(sizes[first]);
    if (i > first) text += " to " + bytes_text(sizes[i]);
  }
  return text;
}

std::string table_of(Kind kind, const std::vector<Line>& lines) {
  std::string text = fmt::format(
      "\n## {}\n\n| algorithm | steps | bytes | fastest for | order |\n|---|---|---|---|---|\n",
      schedule::name_of(kind));
  for (const Line& line : lines)
    text += fmt::format("| `{}`{} | {} | {} | {} | {} |\n", line.row->name,
                        line.row->power_of_two.has(kind) ? " (2^k ranks)" : "", line.steps,
                        kind == Kind::barrier ? "" : fmt::format("{:.3g} n", line.bytes),
                        kind == Kind::barrier ? "" : fastest_text(line, lines),
                        schedule::reduces(kind) ? order_text(line.row->canonical_to) : "");
  return text;
}

}  // namespace

std::string order_text(u32 canonical_to) {
  if (canonical_to == ~0u) return "canonical";
  return canonical_to > 1 ? fmt::format("fast; canonical for up to {} positions", canonical_to)
                          : "fast";
}

Result<std::string> algorithms_page(const simulate::Machine& machine) {
  std::string text = fmt::format(
      "# Algorithms\n\n"
      "Made by `weft algorithms --markdown --machine perf/machines/{}.json`; a test holds it to "
      "the table.\n\n"
      "For each collective: the steps (messages one after another until the last rank has its "
      "result) and the bytes that the busiest rank sends or receives, in vectors of n bytes, both "
      "counted in the programs for {} nodes of one rank; the sizes of n at which it is the fastest "
      "there, within 1 %, by `weft simulate` with the constants of that machine; and the order of "
      "its sums, canonical (the same bits whatever the node shape) or fast. Formulas and sources "
      "are below. Between nodes of several ranks INTRA/INTER composes two of them: "
      "`weft algorithms --nodes 2x4`.\n",
      machine.name, nodes);
  for (Kind kind : schedule::all_kinds) {
    std::vector<Line> lines;
    for (const auto& row : algorithms::table()) {
      if (!algorithms::supports(row, kind, nodes)) continue;
      WEFT_ASSIGN(const Line line, line_of(row, kind, machine));
      lines.push_back(line);
    }
    text += table_of(kind, lines);
  }
  text += "\n## What each does\n\nOf g positions, on a vector of n bytes.\n";
  for (const auto& row : algorithms::table())
    text += fmt::format("\n**{}**: {} Rounds: {}. Bytes: {}. Source: {}.\n", row.name, row.about,
                        row.rounds, row.bytes, row.source);
  return text;
}

}  // namespace weft::cli
