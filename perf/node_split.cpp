#include "perf/node_split.hpp"

#include <charconv>
#include <numeric>

namespace weft::perf {

Result<NodeSplit> parse_node_split(const std::string& text) {
  std::vector<int> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  for (bool more = true; more;) {
    int number = 0;
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 1 || number > 1 << 24 || (rest != end && *rest != '+'))
      return fail(Exit::bad_argument,
                  "invalid nodes '{}': give a number of nodes (2) or the ranks of each (1+3)",
                  text);
    numbers.push_back(number);
    more = rest != end;
    at = rest + (more ? 1 : 0);
  }
  if (numbers.size() == 1) return NodeSplit{.nodes = numbers[0], .sizes = {}};
  return NodeSplit{.nodes = static_cast<int>(numbers.size()), .sizes = std::move(numbers)};
}

Result<std::vector<int>> node_sizes(const NodeSplit& split, int ranks) {
  if (split.sizes.empty()) {
    if (split.nodes > ranks)
      return fail(Exit::invalid_usage, "--nodes {}: there are only {} ranks, one a node at least",
                  split.nodes, ranks);
    std::vector<int> sizes(split.nodes, ranks / split.nodes);
    for (int node = 0; node < ranks % split.nodes; ++node) ++sizes[node];
    return sizes;
  }
  const int sum = std::accumulate(split.sizes.begin(), split.sizes.end(), 0);
  if (sum != ranks)
    return fail(Exit::invalid_usage, "--nodes {} is {} ranks, but there are {}",
                fmt::join(split.sizes, "+"), sum, ranks);
  return split.sizes;
}

Result<std::vector<std::string>> node_names(const NodeSplit& split, int ranks) {
  std::vector<std::string> names;
  if (split.nodes == 0) return names;
  auto sizes = node_sizes(split, ranks);
  if (!sizes) return tl::unexpected(std::move(sizes).error());
  for (std::size_t node = 0; node < sizes->size(); ++node)
    names.insert(names.end(), (*sizes)[node], fmt::format("node{}", node));
  return names;
}

}  // namespace weft::perf
