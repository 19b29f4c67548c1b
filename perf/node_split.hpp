// `--nodes`: which node each rank pretends to be on, so that one machine is a small cluster.
//
// "2" splits the ranks into two blocks of neighbours, the first ones one larger where it does not
// divide (5 ranks: 3+2); "1+3" says the sizes. Threads: values.
#pragma once
#include <string>
#include <vector>

#include "perf/outcome.hpp"

namespace weft::perf {

struct NodeSplit {
  int nodes = 0;           // 0: the machine's own nodes
  std::vector<int> sizes;  // empty: even blocks
};

Result<NodeSplit> parse_node_split(const std::string& text);

// Ranks of each node. Fails when the sizes do not sum to `ranks` or a node would be empty.
Result<std::vector<int>> node_sizes(const NodeSplit& split, int ranks);

// The name of each rank's node: "node0", "node0", "node1". Empty for the machine's own nodes.
Result<std::vector<std::string>> node_names(const NodeSplit& split, int ranks);

}  // namespace weft::perf
