// What `weft simulate` prints: for people, and as JSON.
// Threads: pure.
#pragma once
#include <string>
#include <vector>

#include "cli/simulate_job.hpp"

namespace weft::cli {

struct Simulated {
  std::string algorithm;
  schedule::Order order = schedule::Order::canonical;
  simulate::Found found;
};
struct LeftOut {
  std::string algorithm, why;
};

struct SimulateReport {
  SimulateJob job;
  std::vector<Simulated> tried;  // the fastest first; at least one
  std::vector<LeftOut> left_out;

  std::string text(bool all) const;
  std::string json() const;
};

}  // namespace weft::cli
