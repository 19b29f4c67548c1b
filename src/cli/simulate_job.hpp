// What `weft simulate` was asked: the words of the command line, and what they mean.
// Threads: pure.
#pragma once
#include <optional>
#include <string>

#include "schedule/collective.hpp"
#include "schedule/shape.hpp"
#include "simulate/search.hpp"

namespace weft::cli {

struct SimulateWords {
  std::string collective = "all_reduce", bytes, nodes = "1", machine, algorithm;
  std::string order = "canonical", slice_bytes;
  u32 ranks_per_node = 0, rails = 0, frames = 0;  // 0: the machine's, or searched
  bool all = false, json = false, every_rank = false;
};

struct SimulateJob {
  simulate::Machine machine;
  schedule::Kind kind = schedule::Kind::all_reduce;
  schedule::Shape shape;
  simulate::Job job;
  simulate::Wish wish;
  std::string algorithm;  // empty: all that keep the order
  schedule::Order order = schedule::Order::canonical;
};

// "64", "64K", "1M", "2G": a whole number of bytes, units of 1024.
Result<u64> bytes_in(const std::string& what, const std::string& text);
Result<SimulateJob> understand(const SimulateWords& words);

// "8 MiB", "1000 bytes"
std::string bytes_text(u64 bytes);

}  // namespace weft::cli
