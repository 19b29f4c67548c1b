// Ranks as threads of one process, each with its own communicator, through the C API alone.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/ranks/api/state.hpp"

namespace weft::testing {

struct RankOptions {
  std::vector<std::string> nodes = {};  // of each rank; empty: one node
  double timeout_seconds = 60;
  int progress_thread = 0;
  std::string algorithm = {}, order = {};
  bool destroy = true;
};

// Runs body(rank, comm) on a thread a rank; EXPECTs that joining and leaving succeed.
inline void run_ranks(int ranks, const RankOptions& options,
                      const std::function<void(int, weft_comm_t)>& body) {
  weft_unique_id_t id;
  ASSERT_EQ(weft_get_unique_id(&id), weft_ok) << weft_last_error();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      weft_config_t config = WEFT_CONFIG_INITIALIZER;
      if (!options.nodes.empty()) config.node = options.nodes[std::size_t(rank)].c_str();
      if (!options.algorithm.empty()) config.algorithm = options.algorithm.c_str();
      if (!options.order.empty()) config.order = options.order.c_str();
      config.timeout_seconds = options.timeout_seconds;
      config.progress_thread = options.progress_thread;
      weft_comm_t comm = nullptr;
      ASSERT_EQ(weft_comm_create(&comm, ranks, rank, &id, &config), weft_ok) << weft_last_error();
      body(rank, comm);
      const weft_result_t left = weft_comm_destroy(comm);
      if (options.destroy) { EXPECT_EQ(left, weft_ok) << weft_last_error(); }
    });
  for (std::thread& thread : threads) thread.join();
}

// "aab": ranks 0 and 1 on node a, rank 2 on node b.
inline std::vector<std::string> nodes(const char* letters) {
  std::vector<std::string> names;
  for (const char* at = letters; *at; ++at) names.emplace_back(1, *at);
  return names;
}

}  // namespace weft::testing
