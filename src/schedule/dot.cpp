#include "schedule/dot.hpp"

#include <fmt/ostream.h>

#include <array>
#include <map>
#include <ostream>
#include <vector>

#include "schedule/text.hpp"

namespace weft::schedule {

namespace {

// Nodes are named by rank, lane and number on the lane.
struct Node {
  u32 rank, lane, index;
};
std::string name(Node n) { return fmt::format("r{}_{}_{}", n.rank, n.lane, n.index); }

struct Channel {
  std::vector<Node> sends, receives;
};
using Channels = std::map<std::array<u32, 3>, Channel>;  // sender, receiver, port

void enlist(Channels& channels, const Program& program, const Step& step, Node node) {
  for_each_peer(program, step, [&](u32 peer) {
    if (step.sends())
      channels[{program.rank, peer, step.port}].sends.push_back(node);
    else
      channels[{peer, program.rank, step.port}].receives.push_back(node);
  });
}

// "lane 1 recv target ..." without the lane, which is the column, and the waits, which are edges.
std::string label(const Step& step) {
  Step bare = step;
  bare.set_wait(0, {}), bare.set_wait(1, {});
  const std::string line = text(bare);
  return line.substr(line.find(' ', line.find(' ') + 1) + 1);
}

void write_rank(std::ostream& to, const Program& program, Channels& channels) {
  fmt::print(to, "  subgraph cluster_{0} {{\n    label=\"rank {0}\";\n", program.rank);
  std::vector<u32> made(program.lanes);
  for (const Step& step : program.steps) {
    const Node node{program.rank, step.lane, made[step.lane]++};
    fmt::print(to, "    {} [label=\"{}\", group=\"{}_{}\"];\n", name(node), label(step),
               program.rank, step.lane);
    if (node.index)
      fmt::print(to, "    {} -> {};\n", name({node.rank, node.lane, node.index - 1}), name(node));
    for (int i : {0, 1})
      if (const Wait wait = step.wait(i); wait.valid() && wait.steps)
        fmt::print(to, "    {} -> {} [style=dashed];\n",
                   name({node.rank, wait.lane, wait.steps - 1}), name(node));
    enlist(channels, program, step, node);
  }
  fmt::print(to, "  }}\n");
}

}  // namespace

void write_dot(std::ostream& to, const Schedule& schedule) {
  fmt::print(to, "digraph {} {{\n  node [shape=box, fontname=monospace];\n",
             name_of(schedule.collective.kind));
  Channels channels;
  for (const Program& program : schedule.programs) write_rank(to, program, channels);
  for (const auto& [key, channel] : channels)
    for (std::size_t k = 0; k < std::min(channel.sends.size(), channel.receives.size()); ++k)
      fmt::print(to, "  {} -> {} [color=blue, constraint=false];\n", name(channel.sends[k]),
                 name(channel.receives[k]));
  fmt::print(to, "}}\n");
}

}  // namespace weft::schedule
