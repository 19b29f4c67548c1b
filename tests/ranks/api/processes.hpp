// Ranks as forked processes, through the C API alone. The parent stays out of the library, so it
// may fork again.
#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "tests/ranks/api/state.hpp"

namespace weft::testing {

// Runs body(rank, comm) in a process a rank; `nodes` names the node of each, empty: one node.
// Returns what waitpid said of each: 0 where the body returned true.
inline std::vector<int> fork_ranks(int ranks, const std::vector<std::string>& nodes,
                                   const std::function<bool(int, weft_comm_t)>& body) {
  std::vector<std::array<int, 2>> pipes(static_cast<std::size_t>(ranks));
  for (auto& pipe : pipes) EXPECT_EQ(::pipe(pipe.data()), 0);
  std::vector<pid_t> children;
  for (std::size_t rank = 0; rank < pipes.size(); ++rank) {
    const pid_t child = ::fork();
    if (child > 0) children.push_back(child);
    if (child != 0) continue;
    weft_unique_id_t id;
    bool good = true;
    if (rank == 0) {  // draws the id and hands it round
      good = weft_get_unique_id(&id) == weft_ok;
      for (std::size_t to = 1; to < pipes.size(); ++to)
        good &= ::write(pipes[to][1], &id, sizeof id) == sizeof id;
    } else {
      good = ::read(pipes[rank][0], &id, sizeof id) == sizeof id;
    }
    weft_config_t config = WEFT_CONFIG_INITIALIZER;
    config.timeout_seconds = 60;
    if (!nodes.empty()) config.node = nodes[rank].c_str();
    weft_comm_t comm = nullptr;
    good = good && weft_comm_create(&comm, ranks, int(rank), &id, &config) == weft_ok;
    good = good && body(int(rank), comm);
    const bool healthy = good && state_of(comm) == weft_ok;
    good &= weft_comm_destroy(comm) == weft_ok || !healthy;
    ::_exit(good ? 0 : 1);
  }
  std::vector<int> outcomes;
  for (const pid_t child : children) {
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    outcomes.push_back(status);
  }
  for (auto& pipe : pipes) ::close(pipe[0]), ::close(pipe[1]);
  return outcomes;
}

}  // namespace weft::testing
